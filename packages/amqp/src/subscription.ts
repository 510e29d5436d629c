import { setTimeout as sleep } from "node:timers/promises";
import { LabError, type Sink, type Subscription } from "@lab/core";
import { Backoff, toError } from "@lab/core/adapter";
import { ConsumerSession } from "./consumer-session.ts";
import type { AmqpConnect, SubscriberSettings } from "./options.ts";

/** A session that lasts so long, in ms, holds: the next loss starts with the shortest wait again. */
const holds = 5_000;

/** One subscription: one session after the other, until it is closed. */
export class AmqpSubscription implements Subscription {
  readonly #source: string;
  readonly #window: number;
  readonly #settings: SubscriberSettings;
  readonly #sink: Sink;
  readonly #backoff: Backoff;
  /** Aborts when no further session is wanted. */
  readonly #over = new AbortController();
  #session: ConsumerSession | undefined;
  #host = 0;
  #running: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(source: string, window: number, settings: SubscriberSettings, sink: Sink) {
    this.#source = source;
    this.#window = window;
    this.#settings = settings;
    this.#sink = sink;
    this.#backoff = new Backoff({ ...settings.backoff, jitter: 0.5 });
  }

  /** Resolves when the broker has accepted the first consumer. Rejects with nothing left open. */
  async start(signal: AbortSignal | undefined): Promise<void> {
    const onAbort = (): void => {
      this.#over.abort();
      this.#session?.abandon(toError(signal?.reason));
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#sink.connection("connecting");
    try {
      const session = await this.#openAny();
      this.#running = this.#run(session);
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /**
   * The broker is not told. Were the consumer cancelled, a quorum queue with a single active consumer would turn to the
   * next one while messages of the same keys are still in hand here. What it sends from now on, a window at most, stays
   * unsettled and is its own again when the subscription closes.
   */
  stop(): Promise<void> {
    this.#over.abort();
    this.#session?.withhold();
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#over.abort();
    await this.#session?.close();
    await this.#running;
    this.#sink.connection("closed");
  }

  async #run(first: ConsumerSession): Promise<void> {
    const { signal } = this.#over;
    let session = first;
    for (;;) {
      const since = performance.now();
      const loss = await session.ended;
      if (signal.aborted) return;
      this.#sink.connection("reconnecting", loss);
      if (performance.now() - since > holds) this.#backoff.reset();
      await session.close();
      const next = await this.#reopen();
      if (next === undefined) return;
      session = next;
    }
  }

  /** Tries for ever. Undefined when no session is wanted any more, or none will ever be possible. */
  async #reopen(): Promise<ConsumerSession | undefined> {
    const { signal } = this.#over;
    for (;;) {
      await sleep(this.#backoff.next(), undefined, { signal }).catch(() => {});
      if (signal.aborted) return undefined;
      try {
        return await this.#open();
      } catch (thrown) {
        const error = thrown as LabError;
        if (signal.aborted) return undefined;
        if (error.code === "SOURCE_MISSING" || error.code === "INVALID_OPTION") {
          this.#fail(error);
          return undefined;
        }
        this.#sink.connection("reconnecting", error);
      }
    }
  }

  /** The first session: each host is tried once. */
  async #openAny(): Promise<ConsumerSession> {
    for (let left = this.#settings.connects.length; ; left--) {
      try {
        return await this.#open();
      } catch (error) {
        const retry = (error as LabError).code === "BROKER_UNREACHABLE" && left > 1;
        if (!retry || this.#over.signal.aborted) throw error;
      }
    }
  }

  async #open(): Promise<ConsumerSession> {
    const { connects } = this.#settings;
    const session = new ConsumerSession(this.#source, this.#window, this.#settings, this.#sink);
    this.#session = session;
    try {
      await session.open(connects[this.#host] as AmqpConnect);
      return session;
    } catch (error) {
      this.#host = (this.#host + 1) % connects.length;
      throw error;
    }
  }

  #fail(cause: LabError): void {
    const text = `"${this.#source}" cannot be consumed any more: ${cause.message}`;
    const error = new LabError("SUBSCRIPTION_FAILED", text, { cause });
    this.#over.abort();
    this.#closing ??= Promise.resolve();
    this.#sink.connection("closed", error);
    this.#sink.failed(error);
  }
}
