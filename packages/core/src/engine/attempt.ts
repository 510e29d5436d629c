import type { Clock } from "../clock.ts";
import { LabError, toError } from "../errors.ts";
import type { Delivery, Deserialize, Handler, HandlerContext } from "../ports.ts";
import { isThenable } from "../thenable.ts";
import type { Job } from "./job.ts";
import { TimeLimit } from "./time-limit.ts";

class AttemptContext implements HandlerContext {
  readonly delivery: Delivery;
  readonly key: string | undefined;
  readonly attempt: number;
  readonly lane: number;
  readonly #limit: TimeLimit | undefined;

  constructor(job: Job, lane: number) {
    this.delivery = job.delivery;
    this.key = job.key;
    this.attempt = job.attempt;
    this.lane = lane;
    this.#limit = job.limit;
  }

  get signal(): AbortSignal {
    return (this.#limit ?? this.delivery.session).signal;
  }
}

/** Runs attempts: decode, then handle. */
export class Attempts<T> {
  readonly #handler: Handler<T>;
  readonly #deserialize: Deserialize<T> | undefined;
  readonly #timeout: number | undefined;
  readonly #clock: Clock;

  constructor(
    handler: Handler<T>,
    deserialize: Deserialize<T> | undefined,
    timeout: number | undefined,
    clock: Clock,
  ) {
    this.#handler = handler;
    this.#deserialize = deserialize;
    this.#timeout = timeout;
    this.#clock = clock;
  }

  start(job: Job, lane: number): unknown {
    job.attempt++;
    if (job.keyError !== undefined) throw job.keyError;
    if (this.#timeout !== undefined) {
      job.limit = new TimeLimit(job.delivery.session, this.#clock, this.#timeout);
    }
    const handler = this.#handler;
    const context = new AttemptContext(job, lane);
    const { message } = job.delivery;
    // Without a deserializer the type of `consume` makes T the body's.
    if (this.#deserialize === undefined) return handler(message.body as T, context);
    job.decoding = true;
    const value = this.#deserialize(message);
    if (isThenable(value)) {
      // Not `value.then`: a foreign thenable need not give a promise back, and the message would count as handled.
      return Promise.resolve(value).then((decoded) => {
        job.decoding = false;
        return handler(decoded, context);
      });
    }
    job.decoding = false;
    return handler(value, context);
  }

  /** Ends an attempt, and names the failure where there was one. */
  end(job: Job): void {
    job.limit?.clear();
    job.limit = undefined;
  }

  /** The error of a failed attempt; what was thrown is its cause. Call it before `end`. */
  failure(job: Job, thrown: unknown): LabError {
    if (job.keyError !== undefined) return job.keyError;
    const cause = toError(thrown);
    const place = `message for "${job.delivery.message.destination}"${job.key === undefined ? "" : `, key "${job.key}"`}`;
    if (job.decoding) {
      job.decoding = false;
      return new LabError("DECODE_FAILED", `A ${place}, could not be decoded: ${cause.message}`, {
        cause,
      });
    }
    const expired = job.limit?.expired;
    const [code, why] =
      expired === undefined
        ? (["HANDLER_FAILED", cause.message] as const)
        : (["HANDLER_TIMEOUT", expired.message] as const);
    return new LabError(code, `The handler failed on a ${place}: ${why}`, { cause });
  }
}
