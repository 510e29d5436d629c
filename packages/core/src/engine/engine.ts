import { diagnostics } from "../diagnostics.ts";
import { LabError, toError } from "../errors.ts";
import type { ConnectionState, Delivery, Message, Session, Sink } from "../ports.ts";
import type { Settings } from "../settings.ts";
import type { LaneStats } from "../stats.ts";
import { Attempts } from "./attempt.ts";
import type { Counters } from "./counters.ts";
import { createDispatcher, type Dispatcher } from "./dispatcher.ts";
import { Failures } from "./failures.ts";
import { InHand } from "./in-hand.ts";
import type { Job } from "./job.ts";
import type { Work } from "./scheduler.ts";

/** Everything between an adapter and a handler. */
export class Engine<T> implements Sink {
  connectionState: ConnectionState = "connecting";
  readonly #settings: Settings<T>;
  readonly #hand: InHand;
  readonly #dispatcher: Dispatcher;
  readonly #failures: Failures;
  readonly #fatal: (error: LabError) => void;

  /** `fatal` is told of an error that ends the consumer; more than once if more follow. */
  constructor(settings: Settings<T>, fatal: (error: LabError) => void) {
    const { source, dispatch, lanes, window, clock } = settings;
    this.#settings = settings;
    this.#fatal = fatal;
    this.#hand = new InHand(source);
    this.#dispatcher = createDispatcher(dispatch, lanes, window, this.#work(), clock);
    this.#failures = new Failures(settings, this.#hand, this.#dispatcher, fatal);
  }

  get counters(): Readonly<Counters> {
    return this.#hand.counters;
  }

  /** Deliveries left to the broker if the consumer ended now. */
  get left(): number {
    return this.#hand.left;
  }

  lanes(): LaneStats[] {
    return this.#dispatcher.lanes();
  }

  deliver(delivery: Delivery): void {
    const hand = this.#hand;
    if (hand.ending) {
      hand.leave(delivery);
      return;
    }
    const job = hand.take(delivery);
    try {
      job.key = keyOf(this.#settings.key(delivery.message));
    } catch (thrown) {
      job.keyError = keySelectorFailed(delivery.message, toError(thrown));
    }
    if (diagnostics["lab:message:received"].hasSubscribers)
      diagnostics["lab:message:received"].publish(hand.event(job));
    // The key selector or a subscriber of the event may have ended the session or the consumer.
    if (delivery.session.ended || hand.ending) hand.drop(job);
    else this.#dispatcher.push(job);
  }

  sessionEnded(session: Session): void {
    const hand = this.#hand;
    const { dropped: before } = hand.counters;
    this.#dispatcher.sweep((job, place) => {
      if (job.delivery.session !== session) return false;
      hand.expire(job);
      if (place === "current" && !this.#failures.letGo(job)) return false;
      hand.drop(job);
      return true;
    });
    hand.sessionEnded(session);
    if (diagnostics["lab:session:ended"].hasSubscribers) {
      const dropped = hand.counters.dropped - before;
      diagnostics["lab:session:ended"].publish({ source: this.#settings.source, dropped });
    }
  }

  connection(state: ConnectionState, cause?: Error): void {
    this.connectionState = state;
    if (diagnostics["lab:connection"].hasSubscribers) {
      const { source } = this.#settings;
      diagnostics["lab:connection"].publish({
        source,
        state,
        ...(cause !== undefined && { cause }),
      });
    }
  }

  failed(error: Error): void {
    const text = `The subscription of "${this.#settings.source}" has ended: ${error.message}`;
    this.#fatal(
      error instanceof LabError
        ? error
        : new LabError("SUBSCRIPTION_FAILED", text, { cause: error }),
    );
  }

  /** Takes no more deliveries and calls back when all work in hand is done. Halted keys are left to the broker. */
  finish(done: () => void): void {
    if (this.#hand.phase === "open") this.#hand.phase = "finishing";
    this.#discard((job) => job.queue.current?.hold === "halt");
    this.#hand.whenEmpty(done);
  }

  /** Takes no more deliveries, starts nothing any more and calls back when what runs has ended. */
  end(done: () => void): void {
    this.#hand.phase = "ending";
    this.#discard(() => true);
    this.#hand.whenEmpty(done);
  }

  /** Forgets jobs that do not run. They stay unsettled, so the broker delivers them again. */
  #discard(which: (job: Job) => boolean): void {
    this.#dispatcher.sweep((job, place) => {
      if (!which(job)) return false;
      if (place === "current" && !this.#failures.letGo(job)) return false;
      this.#hand.recycle(job);
      return true;
    });
  }

  #work(): Work {
    const { handler, deserialize, handlerTimeout, clock } = this.#settings;
    const attempts = new Attempts(handler, deserialize, handlerTimeout, clock);
    const hand = this.#hand;
    return {
      start: (job, lane) => attempts.start(job, lane),
      succeeded: (job) => {
        attempts.end(job);
        const counts = hand.settle(job, "ack");
        if (counts) hand.counters.handled++;
        if (counts && diagnostics["lab:message:handled"].hasSubscribers) {
          diagnostics["lab:message:handled"].publish({ ...hand.event(job), attempt: job.attempt });
        }
        hand.recycle(job);
      },
      failed: (job, thrown) => {
        const error = attempts.failure(job, thrown);
        attempts.end(job);
        return this.#failures.handle(job, error);
      },
    };
  }
}

function keyOf(key: unknown): string | undefined {
  if (key === undefined || typeof key === "string") return key;
  throw new TypeError(`It returned ${String(key)} (${typeof key}), not a string or undefined.`);
}

function keySelectorFailed(message: Message, cause: Error): LabError {
  const text = `The key selector failed on a message for "${message.destination}": ${cause.message}`;
  return new LabError("KEY_SELECTOR_FAILED", text, { cause });
}
