import type { Sink } from "@lab/core";
import type { Assignment } from "./assignment.ts";
import type { GroupClient } from "./client.ts";

/**
 * How long records may wait before the client is let go on without them, in ms, give or take a half. To hold it for a
 * while is cheaper than to pause a partition, as that costs a fetch when it is resumed.
 */
const longestHold = 1_000;

export interface FeederOptions {
  readonly sink: Sink;
  readonly client: Pick<GroupClient, "pause" | "resume">;
  /** Most deliveries unsettled at once. */
  readonly window: number;
  /** Most records handed on and not behind a committed offset at once: what a crash repeats at most. */
  readonly maxUncommitted: number;
  /** Called when so many have been handed on since the last commit that the next should not wait for its time. */
  readonly onCommitDue: () => void;
}

/** Hands records on within both bounds, the partitions by turns, so that no partition has to wait for another's backlog. */
export class Feeder {
  readonly #options: FeederOptions;
  /** The assignments with records that wait. */
  readonly #ring: Assignment[] = [];
  #turn = 0;
  #unsettled = 0;
  #uncommitted = 0;
  /** `#uncommitted` right after the last commit. */
  #leftByCommit = 0;
  #assigned = 0;
  #held = false;
  #feeding = false;
  #scheduled = false;
  #releasing: NodeJS.Timeout | undefined;

  constructor(options: FeederOptions) {
    this.#options = options;
  }

  /** An assignment has records that wait. */
  add(assignment: Assignment): void {
    if (!this.#ring.includes(assignment)) this.#ring.push(assignment);
    this.go();
  }

  /** How many partitions share the bounds. */
  assigned(count: number): void {
    this.#assigned = count;
  }

  /** Forgets an assignment whose session has ended. */
  remove(assignment: Assignment): void {
    assignment.drop();
    this.#leave(assignment);
    this.#unsettled -= assignment.unsettled;
    this.#uncommitted -= assignment.uncommitted;
    this.#leftByCommit = Math.min(this.#leftByCommit, this.#uncommitted);
  }

  /** Hands nothing on until `go` or new records, and lets the client go on. */
  hold(): void {
    this.#held = true;
    for (const assignment of this.#ring) assignment.release();
  }

  go(): void {
    this.#held = false;
    this.#schedule();
  }

  /** Hands nothing on any more. */
  stop(): void {
    this.#held = true;
    clearTimeout(this.#releasing);
    for (const assignment of this.#ring) assignment.drop();
    this.#ring.length = 0;
  }

  settled(): void {
    this.#unsettled--;
    if (this.#ring.length > 0) this.#schedule();
  }

  /** So many records are behind a committed offset now. */
  committed(records: number): void {
    this.#uncommitted -= records;
    this.#leftByCommit = this.#uncommitted;
    this.#schedule();
  }

  /** Once for all that is fetched or settled in one turn of the event loop: a fetch brings records of many partitions. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#onTurn);
  }

  readonly #onTurn = (): void => {
    this.#scheduled = false;
    this.#feed();
  };

  #feed(): void {
    if (this.#feeding) return;
    this.#feeding = true;
    const { window, maxUncommitted, sink } = this.#options;
    // One partition alone must not use up what keeps the others going when one of its keys is stuck.
    const share = this.#assigned > 1 ? Math.ceil(maxUncommitted * 0.75) : maxUncommitted;
    let passedOver = 0;
    while (
      !this.#held &&
      passedOver < this.#ring.length &&
      this.#unsettled < window &&
      this.#uncommitted < maxUncommitted
    ) {
      if (this.#turn >= this.#ring.length) this.#turn = 0;
      const assignment = this.#ring[this.#turn++] as Assignment;
      if (assignment.uncommitted >= share) {
        passedOver++;
        continue;
      }
      passedOver = 0;
      this.#handOn(assignment, sink);
    }
    this.#feeding = false;
    if (this.#commitDue) this.#options.onCommitDue();
    if (this.#ring.length > 0 && !this.#held) this.#watchHold();
  }

  /** In time for the next commit to arrive before the bound is reached, where the watermarks move on. */
  get #commitDue(): boolean {
    const { maxUncommitted } = this.#options;
    const grown = this.#uncommitted - this.#leftByCommit;
    return grown * 4 >= maxUncommitted || this.#uncommitted >= maxUncommitted;
  }

  #handOn(assignment: Assignment, sink: Sink): void {
    this.#uncommitted++;
    this.#unsettled++;
    if (!assignment.handOn(sink)) this.#unsettled--;
    if (assignment.waits) return;
    this.#leave(assignment);
    if (!assignment.paused) return;
    assignment.paused = false;
    this.#options.client.resume(assignment.partition);
  }

  #leave(assignment: Assignment): void {
    const place = this.#ring.indexOf(assignment);
    if (place < 0) return;
    this.#ring.splice(place, 1);
    if (place < this.#turn) this.#turn--;
  }

  #watchHold(): void {
    this.#releasing ??= setTimeout(() => {
      this.#releasing = undefined;
      const since = performance.now() - longestHold / 2;
      for (const assignment of this.#ring) {
        if (assignment.paused || !assignment.release(since)) continue;
        assignment.paused = true;
        this.#options.client.pause(assignment.partition);
      }
      if (this.#ring.length > 0 && !this.#held) this.#watchHold();
    }, longestHold / 2);
  }
}
