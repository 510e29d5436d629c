import type { Assignment } from "./assignment.ts";
import type { CommittedOffset, GroupClient } from "./client.ts";
import { encodeCompletions } from "./offsets/completions.ts";
import type { Watermark } from "./offsets/tracker.ts";

/** How often to commit while a rebalance is under way, in ms: what is done by then is not repeated elsewhere. */
const hurriedInterval = 20;

/** Kafka's default for `offset.metadata.max.bytes`. */
const metadataLimit = 4_096;

export interface CommitterOptions {
  readonly client: Pick<GroupClient, "commit">;
  readonly assignments: () => Iterable<Assignment>;
  /** In ms. */
  readonly interval: number;
  /** Whether to keep in the metadata what is done beyond the offset. */
  readonly completions: boolean;
  /** So many records are behind a committed offset now that were not before. */
  readonly onCommitted: (records: number) => void;
}

interface Commit {
  readonly assignment: Assignment;
  readonly watermark: Watermark;
  readonly stored: CommittedOffset;
}

/**
 * Stores the watermarks of the partitions that are assigned now, one request at a time, each in one attempt: a commit
 * that was retried across a rebalance could take back what the next owner has stored. What failed is part of the next.
 */
export class Committer {
  readonly #options: CommitterOptions;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> | undefined;
  #requested = false;

  constructor(options: CommitterOptions) {
    this.#options = options;
  }

  /** Commits from now on at the interval, or in a hurry. */
  start(pace: "interval" | "hurried"): void {
    clearInterval(this.#timer);
    const { interval } = this.#options;
    const every = pace === "interval" ? interval : Math.min(interval, hurriedInterval);
    this.#timer = setInterval(this.#onTime, every);
  }

  /** Commits as soon as possible, in a macrotask, what watermarks have moved on. */
  request(): void {
    if (this.#requested) return;
    this.#requested = true;
    setImmediate(() => {
      this.#requested = false;
      this.#begin("moved");
    });
  }

  /** Commits for the last time, in the turn in which `last` was called: nothing must be settled from then on. */
  async finish(last: () => void): Promise<void> {
    this.stop();
    await this.#underWay;
    await new Promise(setImmediate);
    last();
    await this.#commit("changed");
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  readonly #onTime = (): void => this.#begin("changed");

  #begin(what: "changed" | "moved"): void {
    this.#underWay ??= this.#commit(what).then(() => {
      this.#underWay = undefined;
    });
  }

  async #commit(what: "changed" | "moved"): Promise<void> {
    const commits = this.#due(what);
    if (commits.length === 0) return;
    try {
      await this.#options.client.commit(commits.map(({ stored }) => stored));
    } catch {
      return; // The client has told of what is worth telling; the next commit has these offsets too.
    }
    let records = 0;
    for (const { assignment, watermark, stored } of commits) {
      if (!assignment.session.ended) records += assignment.confirmed(stored, watermark.records);
    }
    this.#options.onCommitted(records);
  }

  /** `changed`: for the metadata alone, too. */
  #due(what: "changed" | "moved"): Commit[] {
    const commits: Commit[] = [];
    for (const assignment of this.#options.assignments()) {
      const { partition, tracker, committed } = assignment;
      const watermark = tracker.watermark();
      if (watermark === undefined) continue;
      const { offset } = watermark;
      if (what === "moved" && offset === committed?.offset) continue;
      const metadata = this.#options.completions
        ? encodeCompletions(offset, tracker.doneBeyond(), metadataLimit)
        : "";
      if (offset === committed?.offset && metadata === committed.metadata) continue;
      commits.push({ assignment, watermark, stored: { partition, offset, metadata } });
    }
    return commits;
  }
}
