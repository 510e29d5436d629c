import type { ConnectionState, LabError, Sink, Subscription } from "@lab/core";
import { within } from "@lab/core/adapter";
import { Assignment } from "./assignment.ts";
import type { FetchedRecords, GroupClient, GroupEvents } from "./client.ts";
import { Committer } from "./committer.ts";
import { Feeder } from "./feeder.ts";
import { type SubscriberSettings, uncommittedLimit } from "./options.ts";
import { findStarts, needsStarts } from "./starts.ts";

/** How long `close` waits for the last commit, in ms. */
const commitTimeout = 3_000;

export interface SubscriptionOptions {
  readonly topic: string;
  readonly window: number;
  readonly settings: SubscriberSettings;
  readonly sink: Sink;
  readonly connect: (events: GroupEvents) => GroupClient;
}

/** One member of the group, and the assignments that it has. */
export class KafkaSubscription implements Subscription, GroupEvents {
  readonly #topic: string;
  readonly #settings: SubscriberSettings;
  readonly #sink: Sink;
  readonly #client: GroupClient;
  readonly #feeder: Feeder;
  readonly #committer: Committer;
  readonly #assignments = new Map<number, Assignment>();
  /** Those whose start is still being asked for, and what tells that it is known. */
  readonly #starting = new Map<Assignment, Promise<void>>();
  readonly #ending = new AbortController();
  #stopped = false;
  #over = false;
  #closing: Promise<void> | undefined;

  constructor({ topic, window, settings, sink, connect }: SubscriptionOptions) {
    this.#topic = topic;
    this.#settings = settings;
    this.#sink = sink;
    const maxUncommitted = uncommittedLimit(settings, window);
    const client = connect(this);
    this.#client = client;
    this.#committer = new Committer({
      client,
      assignments: () => this.#assignments.values(),
      interval: settings.commitInterval,
      completions: settings.completionsInMetadata,
      onCommitted: (records) => this.#feeder.committed(records),
    });
    this.#feeder = new Feeder({
      sink,
      client,
      window,
      maxUncommitted,
      onCommitDue: () => this.#committer.request(),
    });
  }

  /** Resolves when the group has let the member in. Rejects with nothing left open. */
  async start(signal: AbortSignal | undefined): Promise<void> {
    this.#sink.connection("connecting");
    try {
      await this.#client.open(signal);
    } catch (error) {
      this.#end(error as Error);
      throw error;
    }
  }

  stop(): Promise<void> {
    if (!this.#stopped) {
      this.#stopped = true;
      this.#feeder.stop();
      for (const partition of this.#assignments.keys()) this.#client.pause(partition);
    }
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    void this.stop();
    const cause = new Error("the subscription was closed");
    await within(
      commitTimeout,
      this.#committer.finish(() => this.#end(cause)),
    );
    this.#end(cause);
    await this.#client.close();
    this.#sink.connection("closed");
  }

  rebalancing(): void {
    if (this.#over) return;
    this.#feeder.hold();
    this.#committer.start("hurried");
  }

  assigned(partitions: readonly number[], continued: boolean): void {
    if (this.#over) return;
    const now = new Set(partitions);
    for (const [partition, assignment] of this.#assignments) {
      if (!continued || !now.has(partition)) this.#lose(assignment, lost);
    }
    const fresh: Assignment[] = [];
    for (const partition of partitions) {
      const kept = this.#assignments.get(partition);
      const next = kept?.tracker.next;
      if (kept === undefined) fresh.push(this.#gain(partition));
      else if (next !== undefined) this.#client.seek(partition, next);
      if (this.#stopped) this.#client.pause(partition);
    }
    this.#findStarts(fresh);
    this.#feeder.assigned(partitions.length);
    this.#committer.start("interval");
    if (!this.#stopped) this.#feeder.go();
  }

  records(fetched: FetchedRecords): Promise<void> | undefined {
    const assignment = this.#assignments.get(fetched.partition);
    if (assignment === undefined || this.#stopped) return undefined;
    const started = this.#starting.get(assignment);
    if (started !== undefined) return started.then(() => this.#take(assignment, fetched));
    return this.#take(assignment, fetched);
  }

  skipped(partition: number, next: number): void {
    const assignment = this.#assignments.get(partition);
    if (assignment === undefined || this.#stopped || this.#starting.has(assignment)) return;
    assignment.skip(next);
  }

  connection(state: ConnectionState, cause?: LabError): void {
    if (!this.#over) this.#sink.connection(state, cause);
  }

  failed(error: LabError): void {
    if (this.#over) return;
    this.#end(error);
    this.#sink.connection("closed", error);
    this.#sink.failed(error);
  }

  #take(assignment: Assignment, fetched: FetchedRecords): Promise<void> | undefined {
    if (assignment.session.ended || this.#stopped) return undefined;
    const place = assignment.misplaced(fetched);
    if (typeof place === "number") {
      this.#client.seek(fetched.partition, place);
      return undefined;
    }
    let taker = assignment;
    if (place === "reset") {
      this.#lose(assignment, new Error("the log of the partition has begun anew"));
      taker = this.#gain(fetched.partition);
    }
    const taken = taker.take(fetched);
    this.#feeder.add(taker);
    return taken;
  }

  #gain(partition: number): Assignment {
    const assignment = new Assignment(this.#topic, partition, this.#feeder);
    this.#assignments.set(partition, assignment);
    return assignment;
  }

  #lose(assignment: Assignment, cause: Error): void {
    this.#assignments.delete(assignment.partition);
    this.#feeder.remove(assignment);
    assignment.session.end(cause);
    this.#sink.sessionEnded(assignment.session);
  }

  #findStarts(fresh: readonly Assignment[]): void {
    if (fresh.length === 0 || !needsStarts(this.#settings)) return;
    const found = findStarts(this.#client, this.#settings, this.#ending.signal).then((starts) => {
      for (const assignment of fresh) {
        this.#starting.delete(assignment);
        assignment.begin(starts?.get(assignment.partition) ?? {});
      }
    });
    for (const assignment of fresh) this.#starting.set(assignment, found);
  }

  /** Ends every session. What is settled from now on is not committed. */
  #end(cause: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.#stopped = true;
    this.#ending.abort();
    this.#feeder.stop();
    this.#committer.stop();
    for (const { session } of this.#assignments.values()) {
      session.end(cause);
      this.#sink.sessionEnded(session);
    }
  }
}

const lost = new Error("the partition is no longer assigned to this member of the group");
