import { diagnostics } from "./diagnostics.ts";
import { Engine } from "./engine/engine.ts";
import { LabError, toError } from "./errors.ts";
import { EventLoopDelay } from "./event-loop.ts";
import type { DrainOptions, DrainResult } from "./options.ts";
import type { Subscription } from "./ports.ts";
import { drainTimeoutOf, type Settings } from "./settings.ts";
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
   * `timeout`, leaves the rest to the broker and closes. A call after `drain` or `stop` joins the first. Do not await it
   * in a handler: each would wait for the other until `timeout` has passed.
   */
  drain(options?: DrainOptions): Promise<DrainResult>;
  /** Closes at once: running handlers see their `signal` abort, everything unsettled is left to the broker. */
  stop(): Promise<DrainResult>;
  stats(): ConsumerStats;
}

/** One consumer's life: opens the subscription, and ends once, however many ask for it. */
export class RunningConsumer<T> implements Consumer {
  readonly closed: Promise<void>;
  readonly #settings: Settings<T>;
  readonly #engine: Engine<T>;
  readonly #eventLoop = new EventLoopDelay();
  readonly #abort = (): void => void this.stop();
  #resolveClosed: () => void = () => {};
  #rejectClosed: (error: Error) => void = () => {};
  #opening: Promise<Subscription | undefined> = Promise.resolve(undefined);
  #ending: Promise<DrainResult> | undefined;
  /** What the consumer ended by, if by a failure: the first of them. */
  #error: LabError | undefined;
  /** Resolves when no work is in hand, or when the wait for it is cut short. */
  readonly #idle: Promise<void>;
  #resolveIdle: () => void = () => {};

  constructor(settings: Settings<T>) {
    this.#settings = settings;
    this.#engine = new Engine(settings, (error) => this.#fail(error));
    this.closed = new Promise((resolve, reject) => {
      this.#resolveClosed = resolve;
      this.#rejectClosed = reject;
    });
    this.#idle = new Promise((resolve) => {
      this.#resolveIdle = resolve;
    });
  }

  /** Opens the subscription. Rejects, with everything closed, if that fails or the consumer ends before it is open. */
  async start(): Promise<void> {
    const { subscriber, source, window, signal } = this.#settings;
    signal?.throwIfAborted();
    signal?.addEventListener("abort", this.#abort, { once: true });
    this.#eventLoop.start();
    // Not called right here: what it delivers at once may end the consumer, and that waits for `#opening`.
    const opening = Promise.resolve().then(() =>
      subscriber.subscribe(source, { window, signal }, this.#engine),
    );
    this.#opening = opening.catch(() => undefined);
    try {
      await opening;
    } catch (refusal) {
      this.closed.catch(() => {}); // Whoever called `consume` gets the error from it.
      await this.stop();
      throw refusal;
    }
    if (this.#ending === undefined) {
      diagnostics["lab:consumer:started"].publish({ source });
      return;
    }
    this.closed.catch(() => {});
    await this.#ending;
    throw this.#error ?? signal?.reason;
  }

  async drain(options: DrainOptions = {}): Promise<DrainResult> {
    const timeout = drainTimeoutOf(options, this.#settings.drainTimeout);
    return this.#end(timeout, () => this.#engine.finish(this.#resolveIdle));
  }

  stop(): Promise<DrainResult> {
    this.#engine.end(this.#resolveIdle);
    this.#resolveIdle();
    return this.#end(0, () => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain();
  }

  stats(): ConsumerStats {
    const engine = this.#engine;
    return {
      connection: engine.connectionState,
      ...engine.counters,
      window: this.#settings.window,
      lanes: engine.lanes(),
      eventLoopDelayMs: this.#eventLoop.read(),
    };
  }

  /** Ends by a failure: what runs may finish and settle, nothing else starts. */
  #fail(error: LabError): void {
    this.#error ??= error;
    this.#engine.end(this.#resolveIdle);
    void this.#end(this.#settings.drainTimeout, () => {});
  }

  #end(timeout: number, begin: () => void): Promise<DrainResult> {
    if (this.#ending === undefined) {
      begin();
      this.#ending = this.#close(timeout);
    }
    return this.#ending;
  }

  async #close(timeout: number): Promise<DrainResult> {
    const engine = this.#engine;
    const { source, signal } = this.#settings;
    const subscription = await this.#opening;
    await this.#closing(() => subscription?.stop());
    await this.#idleWithin(timeout);
    engine.end(() => {});
    const { left } = engine;
    await this.#closing(() => subscription?.close());
    signal?.removeEventListener("abort", this.#abort);
    this.#eventLoop.stop();
    if (engine.connectionState !== "closed") engine.connection("closed");
    const error = this.#error;
    diagnostics["lab:consumer:closed"].publish({
      source,
      left,
      ...(error !== undefined && { error }),
    });
    if (error === undefined) this.#resolveClosed();
    else this.#rejectClosed(error);
    return { complete: left === 0, left };
  }

  /** A step of closing that fails does not keep the others from being taken. */
  async #closing(step: () => Promise<void> | undefined): Promise<void> {
    try {
      await step();
    } catch (thrown) {
      const cause = toError(thrown);
      const text = `The subscription of "${this.#settings.source}" could not be closed: ${cause.message}`;
      this.#error ??= new LabError("SUBSCRIPTION_FAILED", text, { cause });
    }
  }

  async #idleWithin(timeout: number): Promise<void> {
    const { clock } = this.#settings;
    const timer = clock.setTimeout(this.#resolveIdle, timeout);
    await this.#idle;
    clock.clearTimeout(timer);
  }
}
