import type { Sink } from "@lab/core";
import { AdapterSession } from "@lab/core/adapter";
import type { CommittedOffset, FetchedRecords } from "./client.ts";
import { KafkaDelivery } from "./delivery.ts";
import { messageOf } from "./message.ts";
import type { Completions } from "./offsets/completions.ts";
import { OffsetTracker, type TrackedRecords } from "./offsets/tracker.ts";

/** Where an assignment begins, where the client does not know by itself. */
export interface Start {
  /** Records before it are not for us. */
  readonly offset?: number;
  readonly completions?: Completions;
}

/** Records that wait to be handed on. */
interface Waiting {
  readonly fetched: FetchedRecords;
  readonly page: TrackedRecords;
  readonly since: number;
  /** Lets the client fetch on. */
  readonly release: () => void;
}

/** What an assignment tells when one of its deliveries has been settled. */
export interface Settled {
  settled(): void;
}

/** One assignment of one partition, from one rebalance to another: what is fetched, in hand and done of it. */
export class Assignment {
  readonly partition: number;
  readonly session: AdapterSession = new AdapterSession();
  /** Deliveries that are not settled. */
  unsettled = 0;
  /** What we have stored for the group. */
  committed: CommittedOffset | undefined = undefined;
  /** The client has been told to fetch nothing more of it for the time being. */
  paused = false;
  readonly #topic: string;
  readonly #owner: Settled;
  #tracker: OffsetTracker = new OffsetTracker();
  #start = 0;
  readonly #waiting: Waiting[] = [];
  /** The next of the records that have waited longest. */
  #index = 0;
  #handedOn = 0;
  /** Records that were behind the watermark when it was last committed. */
  #confirmed = 0;

  constructor(topic: string, partition: number, owner: Settled) {
    this.#topic = topic;
    this.partition = partition;
    this.#owner = owner;
  }

  get tracker(): OffsetTracker {
    return this.#tracker;
  }

  /** Handed on, and not behind an offset that the group has stored: what a crash would repeat. */
  get uncommitted(): number {
    return this.#handedOn - this.#confirmed;
  }

  get waits(): boolean {
    return this.#waiting.length > 0;
  }

  /** Before the first records. */
  begin({ offset = 0, completions }: Start): void {
    this.#start = offset;
    this.#tracker = new OffsetTracker(completions);
  }

  /**
   * Where to fetch from instead, if the records lie before the start; `"reset"` if the log has begun anew beneath us;
   * else undefined.
   */
  misplaced({ records }: FetchedRecords): number | "reset" | undefined {
    const first = Number(records[0]?.offset);
    const { next } = this.#tracker;
    if (next !== undefined) return first < next ? "reset" : undefined;
    return first < this.#start ? this.#start : undefined;
  }

  /** Takes records in, to be handed on. Resolves when they are, or when the client is to go on all the same. */
  take(fetched: FetchedRecords): Promise<void> {
    return new Promise((release) => {
      const page = this.#tracker.register(fetched.records, fetched.next);
      this.#waiting.push({ fetched, page, since: performance.now(), release });
    });
  }

  skip(next: number): void {
    if (next >= this.#start) this.#tracker.skip(next);
  }

  /** Hands the next record on. False if it had been done in an earlier assignment. */
  handOn(sink: Sink): boolean {
    const { fetched, page, release } = this.#waiting[0] as Waiting;
    const index = this.#index++;
    this.#handedOn++;
    if (this.#index === page.count) {
      this.#waiting.shift();
      this.#index = 0;
      release();
    }
    if (page.isDone(index)) return false;
    this.unsettled++;
    const record = fetched.records[index] as FetchedRecords["records"][number];
    const message = messageOf(this.#topic, this.partition, record);
    sink.deliver(new KafkaDelivery(this, page, index, message));
    return true;
  }

  settled(page: TrackedRecords, index: number): void {
    page.done(index);
    this.unsettled--;
    this.#owner.settled();
  }

  /** The group has stored a watermark, with so many records behind it. How many of them are so for the first time. */
  confirmed(stored: CommittedOffset, records: number): number {
    const more = records - this.#confirmed;
    this.#confirmed = records;
    this.committed = stored;
    return more;
  }

  /** Lets the client go on, though records that have waited since then keep waiting. False if there are none. */
  release(waitingSince: number = Number.POSITIVE_INFINITY): boolean {
    const overdue = this.#waiting.filter(({ since }) => since <= waitingSince);
    for (const { release } of overdue) release();
    return overdue.length > 0;
  }

  /** Hands nothing more on. What waits is fetched again another time. */
  drop(): void {
    this.release();
    this.#waiting.length = 0;
    this.#index = 0;
  }
}
