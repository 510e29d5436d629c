import type { LabError } from "../errors.ts";
import type { Delivery } from "../ports.ts";
import type { KeyQueue } from "./key-table.ts";
import type { TimeLimit } from "./time-limit.ts";

/** What a job waits for while it holds its key outside a lane. */
export type Hold = "none" | "retry" | "dead-letter" | "halt";

/** A delivery on its way through the engine. Pooled: after `JobPool.put` it belongs to the next message. */
export class Job {
  delivery: Delivery = undefined as unknown as Delivery;
  key: string | undefined = undefined;
  /** Place in the order of arrival. */
  arrival = 0;
  /** Attempts started. */
  attempt = 0;
  hold: Hold = "none";
  /** True while the deserializer has the message, so that a throw is known to be its. */
  decoding = false;
  /** Set when no key could be selected: the job fails instead of running. */
  keyError: LabError | undefined = undefined;
  /** The adapter has taken its outcome. */
  settled = false;
  /** Its session has ended: it no longer counts as unsettled. */
  stale = false;
  /** The timer that ends the hold, where one is set. */
  timer: unknown = undefined;
  /** The running attempt's time limit, where one is set. */
  limit: TimeLimit | undefined = undefined;

  /** Next in the same key's queue, or in the pool. */
  next: Job | null = null;
  queue: KeyQueue = undefined as unknown as KeyQueue;
}

/** Spare jobs: as many as were ever in hand at once, which the window bounds. */
export class JobPool {
  #spare: Job | null = null;

  take(delivery: Delivery, arrival: number): Job {
    const job = this.#spare ?? new Job();
    this.#spare = job.next;
    job.next = null;
    job.delivery = delivery;
    job.arrival = arrival;
    return job;
  }

  put(job: Job): void {
    job.delivery = undefined as unknown as Delivery;
    job.queue = undefined as unknown as KeyQueue;
    job.key = undefined;
    job.attempt = 0;
    job.hold = "none";
    job.decoding = false;
    job.keyError = undefined;
    job.settled = false;
    job.stale = false;
    job.timer = undefined;
    job.limit = undefined;
    job.next = this.#spare;
    this.#spare = job;
  }
}
