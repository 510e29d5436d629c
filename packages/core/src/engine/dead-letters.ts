import { backoffDelay } from "../backoff.ts";
import { deadLetterMessage } from "../dead-letter.ts";
import { diagnostics } from "../diagnostics.ts";
import { LabError, toError } from "../errors.ts";
import type { DeadLetterOptions } from "../options.ts";
import type { Settings } from "../settings.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { InHand } from "./in-hand.ts";
import type { Job } from "./job.ts";

/** Publishes dead letters. A message is settled once its dead letter is confirmed; until then it holds its key. */
export class DeadLetters {
  readonly #settings: Pick<Settings<never>, "source" | "retry" | "clock" | "deadLetter">;
  readonly #hand: InHand;
  readonly #dispatcher: Dispatcher;
  readonly #fatal: (error: LabError) => void;

  constructor(
    settings: Pick<Settings<never>, "source" | "retry" | "clock" | "deadLetter">,
    hand: InHand,
    dispatcher: Dispatcher,
    fatal: (error: LabError) => void,
  ) {
    this.#settings = settings;
    this.#hand = hand;
    this.#dispatcher = dispatcher;
    this.#fatal = fatal;
  }

  /** Publishes, again with the back-off of the retries while it fails; then the consumer ends. */
  publish(job: Job, error: LabError): void {
    job.hold = "dead-letter";
    void this.#try(job, error, 1);
  }

  async #try(job: Job, error: LabError, attempt: number): Promise<void> {
    const { source, deadLetter } = this.#settings;
    const { publisher, destination } = deadLetter as DeadLetterOptions;
    const { message } = job.delivery;
    let to = "";
    try {
      to = typeof destination === "function" ? destination(message) : destination;
      const letter = deadLetterMessage(source, message, job.attempt, error, publisher.capabilities);
      await publisher.publish(to, [letter]);
    } catch (thrown) {
      this.#failed(job, error, attempt, toError(thrown));
      return;
    }
    if (this.#hand.settle(job, "ack")) {
      this.#hand.counters.deadLettered++;
      if (diagnostics["lab:message:dead-lettered"].hasSubscribers) {
        diagnostics["lab:message:dead-lettered"].publish({
          ...this.#hand.event(job),
          error,
          destination: to,
        });
      }
    }
    this.#release(job);
  }

  #failed(job: Job, error: LabError, attempt: number, cause: Error): void {
    const { retry, clock } = this.#settings;
    if (diagnostics["lab:dead-letter:failed"].hasSubscribers) {
      diagnostics["lab:dead-letter:failed"].publish({ ...this.#hand.event(job), error: cause });
    }
    if (job.stale || this.#hand.ending) {
      if (job.stale) this.#hand.counters.staleSettles++;
      this.#release(job);
    } else if (attempt < retry.attempts) {
      job.timer = clock.setTimeout(
        () => {
          job.timer = undefined;
          void this.#try(job, error, attempt + 1);
        },
        backoffDelay(retry, attempt, Math.random()),
      );
    } else {
      const text =
        `A dead letter could not be published in ${attempt} attempts: ${cause.message} ` +
        "The message is left unsettled. Check `deadLetter.destination` and its broker.";
      this.#fatal(new LabError("DEAD_LETTER_FAILED", text, { cause }));
      this.#release(job);
    }
  }

  #release(job: Job): void {
    const { queue } = job;
    const scheduler = this.#dispatcher.of(job);
    this.#hand.recycle(job);
    scheduler.release(queue);
  }
}
