import { backoffDelay } from "../backoff.ts";
import { diagnostics } from "../diagnostics.ts";
import { LabError, toError } from "../errors.ts";
import type { Settings } from "../settings.ts";
import { DeadLetters } from "./dead-letters.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { InHand } from "./in-hand.ts";
import type { Job } from "./job.ts";

/** What becomes of a message whose attempt failed. While it waits it holds its key, and no lane. */
export class Failures {
  readonly #settings: Omit<Settings<never>, "handler" | "deserialize">;
  readonly #hand: InHand;
  readonly #dispatcher: Dispatcher;
  readonly #deadLetters: DeadLetters;
  readonly #fatal: (error: LabError) => void;

  constructor(
    settings: Omit<Settings<never>, "handler" | "deserialize">,
    hand: InHand,
    dispatcher: Dispatcher,
    fatal: (error: LabError) => void,
  ) {
    this.#settings = settings;
    this.#hand = hand;
    this.#dispatcher = dispatcher;
    this.#fatal = fatal;
    this.#deadLetters = new DeadLetters(settings, hand, dispatcher, fatal);
  }

  /** True frees the key; false holds it until the dispatcher is told otherwise. */
  handle(job: Job, error: LabError): boolean {
    const hand = this.#hand;
    hand.counters.failed++;
    if (diagnostics["lab:message:failed"].hasSubscribers) {
      diagnostics["lab:message:failed"].publish({
        ...hand.event(job),
        attempt: job.attempt,
        error,
      });
    }
    if (job.stale) {
      // The broker delivers it again, and that delivery has attempts of its own.
      hand.counters.staleSettles++;
      return this.#giveBack(job);
    }
    const again = !hand.ending && this.#worthRetrying(job, error);
    if (hand.ending || job.stale) return this.#giveBack(job); // `retryable` may have ended either.
    if (again) return this.#retryLater(job);
    switch (this.#settings.onFailure) {
      case "dead-letter":
        this.#deadLetters.publish(job, error);
        return false;
      case "reject":
        return this.#reject(job, error);
      case "halt":
        return this.#halt(job, error);
      case "stop":
        this.#fatal(error);
        return this.#giveBack(job);
    }
  }

  /** Ends what a held job waits for. False where that cannot be ended: it runs, or is being published. */
  letGo(job: Job): boolean {
    if (job.hold === "halt") {
      this.#hand.counters.halted--;
      return true;
    }
    if (job.timer === undefined) return false;
    this.#settings.clock.clearTimeout(job.timer);
    return true;
  }

  #giveBack(job: Job): true {
    this.#hand.recycle(job);
    return true;
  }

  #worthRetrying({ attempt }: Job, error: LabError): boolean {
    const { attempts, retryable } = this.#settings.retry;
    if (attempt >= attempts) return false;
    try {
      return retryable(error, attempt);
    } catch (thrown) {
      const cause = toError(thrown);
      this.#fatal(
        new LabError("INVALID_OPTION", `\`retry.retryable\` threw: ${cause.message}`, { cause }),
      );
      return false;
    }
  }

  #retryLater(job: Job): false {
    const { clock, retry } = this.#settings;
    const delay = backoffDelay(retry, job.attempt, Math.random());
    this.#hand.counters.retried++;
    job.hold = "retry";
    job.timer = clock.setTimeout(() => {
      job.hold = "none";
      job.timer = undefined;
      this.#dispatcher.of(job).retry(job);
    }, delay);
    if (diagnostics["lab:message:retry"].hasSubscribers) {
      diagnostics["lab:message:retry"].publish({
        ...this.#hand.event(job),
        attempt: job.attempt,
        delay,
      });
    }
    return false;
  }

  #reject(job: Job, error: LabError): true {
    const hand = this.#hand;
    if (hand.settle(job, "reject")) {
      hand.counters.rejected++;
      if (diagnostics["lab:message:rejected"].hasSubscribers) {
        diagnostics["lab:message:rejected"].publish({ ...hand.event(job), error });
      }
    }
    return this.#giveBack(job);
  }

  #halt(job: Job, error: LabError): boolean {
    const hand = this.#hand;
    const holds = hand.phase === "open";
    if (holds) {
      job.hold = "halt";
      hand.counters.halted++;
    }
    if (diagnostics["lab:key:halted"].hasSubscribers)
      diagnostics["lab:key:halted"].publish({ ...hand.event(job), error });
    if (holds) return false;
    // Nothing would ever end the hold: what waits behind it is left to the broker, as it is itself.
    this.#dispatcher.of(job).sweep((other, place) => {
      if (other.queue !== job.queue || place === "current") return false;
      return this.#giveBack(other);
    });
    return this.#giveBack(job);
  }
}
