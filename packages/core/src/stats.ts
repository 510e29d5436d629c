import type { ConnectionState } from "./ports.ts";

export interface LaneStats {
  readonly busy: boolean;
  /** Time with a handler running, in ms since the start. */
  readonly busyMs: number;
}

/** Counters since the start of the consumer, and its state now. */
export interface ConsumerStats {
  readonly connection: ConnectionState;
  /** Deliveries taken from the adapter. */
  readonly received: number;
  /** Messages whose handler succeeded and whose acknowledgement counted. */
  readonly handled: number;
  /** Failed attempts. */
  readonly failed: number;
  /** Attempts scheduled again. */
  readonly retried: number;
  /** Messages published as dead letters and acknowledged. */
  readonly deadLettered: number;
  /** Messages settled with `reject`. */
  readonly rejected: number;
  /** Keys held by `halt` now. */
  readonly halted: number;
  /** Results that came after their session had ended: the broker delivers those messages again. */
  readonly staleSettles: number;
  /** Queued deliveries dropped because their session ended. */
  readonly dropped: number;
  /** Settles that the adapter could not carry out; the handler is not run again for it. */
  readonly settleFailures: number;
  /** Deliveries of live sessions not yet settled, now. */
  readonly unsettled: number;
  /** The most of them at any one time. */
  readonly maxUnsettled: number;
  readonly window: number;
  readonly lanes: readonly LaneStats[];
  /** Event-loop delay since the start, in ms. */
  readonly eventLoopDelayMs: { readonly mean: number; readonly p99: number; readonly max: number };
}
