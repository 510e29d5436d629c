import type { Clock } from "./clock.ts";
import type { LabError } from "./errors.ts";
import type {
  Deserializer,
  Handler,
  KeySelector,
  Message,
  Publisher,
  Subscriber,
} from "./ports.ts";

/**
 * How messages get to the handler.
 * - `keyed`: every key is a FIFO of its own; any free lane takes the key whose head arrived first. Work-conserving.
 * - `hashed`: lane = hash(key) % lanes, one worker a lane. The published design, for comparison and for lane affinity.
 * - `inline`: one at a time, on the delivery callback. The baseline.
 */
export type Dispatch = "keyed" | "hashed" | "inline";

/** When a failed attempt is tried again. A waiting message holds its key, and no lane. */
export interface RetryOptions {
  /** Attempts in all, the first included; 1 = no retry. @default 5 */
  readonly attempts?: number | undefined;
  /** Wait before the second attempt, in ms. @default 100 */
  readonly base?: number | undefined;
  /** Each wait is this many times the one before. @default 2 */
  readonly factor?: number | undefined;
  /** Longest wait, in ms. @default 30_000 */
  readonly cap?: number | undefined;
  /** Part of each wait that is random, 0 … 1: the wait is `delay × (1 − jitter × random)`. @default 0.5 */
  readonly jitter?: number | undefined;
  /**
   * Says what is worth trying again. By default everything but `DECODE_FAILED` and `KEY_SELECTOR_FAILED`, which are
   * the same the next time. What the handler threw is the `cause` of `error`.
   */
  readonly retryable?: ((error: LabError, attempt: number) => boolean) | undefined;
}

/** Where messages go that cannot be handled. They are settled once the broker has confirmed the publish. */
export interface DeadLetterOptions {
  readonly publisher: Publisher;
  /** Topic, queue or routing key, or a function that picks one. */
  readonly destination: string | ((message: Message) => string);
}

/**
 * What happens to a message when its attempts are used up.
 * - `dead-letter`: published to `deadLetter`, then acknowledged.
 * - `reject`: settled with `reject`, for brokers that dead-letter by themselves.
 * - `halt`: it and all later messages of its key stay unsettled until the session ends; other keys go on. They hold
 *   their part of the window.
 * - `stop`: the consumer stops; `closed` rejects with the error. Nothing is lost.
 */
export type OnFailure = "dead-letter" | "reject" | "halt" | "stop";

/**
 * What `consume` takes. `T` is what the handler gets: the body's bytes, or what `deserialize` makes of them, which then
 * has to be given.
 */
export type ConsumeOptions<T = Uint8Array> = CommonOptions<T> & DeserializeOption<T>;

type DeserializeOption<T> = Uint8Array extends T
  ? {
      /** @default the body as it is, a `Uint8Array` */
      readonly deserialize?: Deserializer<T> | undefined;
    }
  : { readonly deserialize: Deserializer<T> };

interface CommonOptions<T> {
  readonly subscriber: Subscriber;
  /** Queue, topic or topic filter, as the subscriber's broker names it. */
  readonly source: string;
  readonly handler: Handler<T>;
  /** @default the key that the broker carries with the message */
  readonly key?: KeySelector | undefined;
  /** Most deliveries unsettled at once. @default max(64, 4 × lanes) */
  readonly window?: number | undefined;
  /** Handlers running at once, 1 … 65_536. Always 1 with `inline`. @default 32 */
  readonly lanes?: number | undefined;
  /** @default "keyed" */
  readonly dispatch?: Dispatch | undefined;
  readonly retry?: RetryOptions | undefined;
  readonly deadLetter?: DeadLetterOptions | undefined;
  /** @default "dead-letter" where `deadLetter` is given, else "stop" */
  readonly onFailure?: OnFailure | undefined;
  /**
   * Longest time for one attempt, in ms. When it has passed, the handler's `signal` aborts with `HANDLER_TIMEOUT`, and
   * a rejection is a failed attempt. A handler that returns all the same has done its work. @default no limit
   */
  readonly handlerTimeout?: number | undefined;
  /** Time that `await using` gives to work in hand, in ms. @default 30_000 */
  readonly drainTimeout?: number | undefined;
  /** Stops the whole consumer when it aborts: before, during or after the start. */
  readonly signal?: AbortSignal | undefined;
  /** @default the system's time */
  readonly clock?: Clock | undefined;
}

export interface DrainOptions {
  /** In ms. @default `drainTimeout` of the consumer */
  readonly timeout?: number | undefined;
}

export interface DrainResult {
  /** True when all work in hand was settled in time. */
  readonly complete: boolean;
  /** Deliveries left to the broker, which delivers them again. */
  readonly left: number;
}
