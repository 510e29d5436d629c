import type { DrainOptions, DrainResult } from "./options.ts";
import type { ConsumerStats } from "./stats.ts";

/** A running consumer. `await using` drains it. */
export interface Consumer extends AsyncDisposable {
  /**
   * Settles when the consumer has ended and every resource is closed: resolves after `drain`, `stop` or an abort,
   * rejects with the `LabError` that ended it otherwise. Watch it: a failure that nobody watches is an unhandled
   * rejection, so that a consumer never dies in silence.
   */
  readonly closed: Promise<void>;
  /**
   * Takes no new deliveries, lets all work in hand (running, queued, waiting for a retry) finish and settle within
   * `timeout`, leaves the rest to the broker and closes. A call after `drain` or `stop` joins the first.
   */
  drain(options?: DrainOptions): Promise<DrainResult>;
  /** Closes at once: running handlers see their `signal` abort, everything unsettled is left to the broker. */
  stop(): Promise<DrainResult>;
  stats(): ConsumerStats;
}
