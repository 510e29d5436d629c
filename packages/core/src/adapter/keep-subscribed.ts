import { setTimeout as sleep } from "node:timers/promises";
import { LabError, toError } from "../errors.ts";
import type { Delivery, Sink, Subscription } from "../ports.ts";
import { Backoff } from "./backoff.ts";
import { KeptSession } from "./kept-session.ts";
import type { AdapterSession } from "./session.ts";

/** A session that lasts so long, in ms, holds: the next loss starts with the shortest wait again. */
const holds = 5_000;

/** What the adapter has opened for one session: a connection, a channel. */
export interface OpenedSession {
  /** Asks the broker to send no more; settling still works. What arrives all the same is not handed over. */
  stop?(): Promise<void>;
  /**
   * Sends what was settled, then closes everything, within a few seconds. Called once for each session, after its end:
   * nothing is settled any more. Its connection may be gone already.
   */
  close(): Promise<void>;
}

/**
 * Connects and consumes. Resolves when the broker has accepted the consumer; rejects with nothing left open. What arrives
 * goes to `deliver`, with `session`; the first may come before it has resolved. Call `session.end(cause)` when the
 * connection is lost. `signal` aborts when no session is wanted any more: a reason to hurry, no more than that.
 */
export type OpenSession = (
  session: AdapterSession,
  deliver: (delivery: Delivery) => void,
  signal: AbortSignal,
) => Promise<OpenedSession>;

export interface KeepSubscribedOptions {
  readonly sink: Sink;
  /** The one that `subscribe` was given. */
  readonly signal: AbortSignal | undefined;
  readonly open: OpenSession;
  /** @default from 100 ms to 10 s, jitter 0.5 */
  readonly backoff?: Backoff;
}

/**
 * A subscription for an adapter whose client does not restore itself: one session after the other until it is closed. It
 * tells the sink of sessions and of the connection, and hands over nothing after `stop`. A first session that cannot be
 * opened is the caller's error. Later ones are tried without end, unless it is by `SOURCE_MISSING` or `INVALID_OPTION`
 * that they fail: then the subscription has.
 */
export async function keepSubscribed(options: KeepSubscribedOptions): Promise<Subscription> {
  const subscription = new KeptSubscription(options);
  await subscription.start(options.signal);
  return subscription;
}

class KeptSubscription implements Subscription {
  readonly #sink: Sink;
  readonly #openSession: OpenSession;
  readonly #backoff: Backoff;
  /** Aborts when no further session is wanted. */
  readonly #over = new AbortController();
  #session: KeptSession | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopping: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor({ sink, open, backoff }: KeepSubscribedOptions) {
    this.#sink = sink;
    this.#openSession = open;
    this.#backoff = backoff ?? new Backoff({ base: 100, cap: 10_000, jitter: 0.5 });
  }

  async start(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const abort = (): void => this.#over.abort(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    this.#sink.connection("connecting");
    try {
      this.#running = this.#run(await this.#open());
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #stop(): Promise<void> {
    this.#over.abort();
    await this.#session?.stop();
  }

  async #close(): Promise<void> {
    this.#over.abort();
    try {
      await this.#session?.close();
    } finally {
      await this.#running;
      this.#sink.connection("closed");
    }
  }

  async #run(first: KeptSession): Promise<void> {
    for (let session: KeptSession | undefined = first; session !== undefined; ) {
      const since = performance.now();
      const cause = await session.ended;
      if (this.#over.signal.aborted) return;
      this.#sink.connection("reconnecting", cause);
      if (performance.now() - since > holds) this.#backoff.reset();
      await session.close();
      session = await this.#reopen();
    }
  }

  /** Undefined when no session is wanted any more, or none will ever be possible. */
  async #reopen(): Promise<KeptSession | undefined> {
    const { signal } = this.#over;
    for (;;) {
      await sleep(this.#backoff.next(), undefined, { signal }).catch(() => {});
      if (signal.aborted) return undefined;
      try {
        return await this.#open();
      } catch (thrown) {
        const cause = toError(thrown);
        if (signal.aborted) return undefined;
        if (isFinal(cause)) {
          const text = `The subscription could not be restored: ${cause.message}`;
          this.#sink.failed(new LabError("SUBSCRIPTION_FAILED", text, { cause }));
          return undefined;
        }
        this.#sink.connection("reconnecting", cause);
      }
    }
  }

  async #open(): Promise<KeptSession> {
    const session = new KeptSession(this.#sink);
    await session.open(this.#openSession, this.#over.signal);
    this.#session = session;
    this.#sink.connection("connected");
    return session;
  }
}

function isFinal(error: Error): boolean {
  return (
    error instanceof LabError &&
    (error.code === "SOURCE_MISSING" || error.code === "INVALID_OPTION")
  );
}
