import { setTimeout as sleep } from "node:timers/promises";
import { LabError, type Sink, type Subscription } from "@lab/core";
import { Backoff, toError } from "@lab/core/adapter";
import { ConsumerSession } from "./consumer-session.ts";
import type { SubscriberSettings } from "./options.ts";
import { passes } from "./refusal.ts";

/** A session that has lasted so long, in ms, does not count as one more failure. */
const holds = 5_000;

/** One subscription: a consumer session after the other, each with a connection of its own. */
export class SolaceSubscription implements Subscription {
  readonly #source: string;
  readonly #window: number;
  readonly #settings: SubscriberSettings;
  readonly #sink: Sink;
  readonly #backoff: Backoff;
  /** Aborts when no further session is wanted. */
  readonly #over = new AbortController();
  #session: ConsumerSession | undefined;
  #running: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(source: string, window: number, settings: SubscriberSettings, sink: Sink) {
    this.#source = source;
    this.#window = window;
    this.#settings = settings;
    this.#sink = sink;
    this.#backoff = new Backoff({ ...settings.backoff, jitter: 0.5 });
  }

  /** Resolves when the broker has bound the first consumer. Rejects with nothing left open. */
  async start(signal: AbortSignal | undefined): Promise<void> {
    const onAbort = (): void => {
      this.#over.abort();
      this.#session?.abandon(toError(signal?.reason));
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#sink.connection("connecting");
    try {
      this.#running = this.#run(await this.#open());
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /**
   * The broker is told only that the client reads on no more. Were the consumer unbound, what is in hand would go to another
   * one while it is at work here. What the client has read ahead is the broker's again when the subscription closes.
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
      if (this.#closing !== undefined) return;
      this.#sink.connection("reconnecting", loss);
      if (performance.now() - since > holds) this.#backoff.reset();
      await session.close();
      if (signal.aborted) return;
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
        if (!passes(error)) {
          this.#fail(error);
          return undefined;
        }
        this.#sink.connection("reconnecting", error);
      }
    }
  }

  async #open(): Promise<ConsumerSession> {
    const session = new ConsumerSession(this.#source, this.#window, this.#settings, this.#sink);
    this.#session = session;
    await session.open();
    return session;
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
