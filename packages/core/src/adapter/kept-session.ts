import { toError } from "../errors.ts";
import type { Delivery, Sink } from "../ports.ts";
import type { OpenedSession, OpenSession } from "./keep-subscribed.ts";
import { AdapterSession } from "./session.ts";

/** One session of a kept subscription, from before it is opened. */
export class KeptSession {
  /** Resolves when the session has ended, with why. */
  readonly ended: Promise<Error>;
  readonly #sink: Sink;
  readonly #session = new AdapterSession();
  #opened: OpenedSession | undefined;
  #closing: Promise<void> | undefined;

  constructor(sink: Sink) {
    this.#sink = sink;
    const { signal } = this.#session;
    this.ended = new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        sink.sessionEnded(this.#session);
        resolve(toError(signal.reason.cause));
      });
    });
  }

  /** Rejects with nothing left open; with the reason of `signal` where that has aborted meanwhile. */
  async open(open: OpenSession, signal: AbortSignal): Promise<void> {
    const deliver = (delivery: Delivery): void => {
      if (!signal.aborted) this.#sink.deliver(delivery);
    };
    try {
      this.#opened = await open(this.#session, deliver, signal);
    } catch (error) {
      this.#session.end(error);
      signal.throwIfAborted();
      throw error;
    }
    if (!signal.aborted) return;
    await this.close();
    throw signal.reason;
  }

  /** Does not fail where the connection is gone. */
  async stop(): Promise<void> {
    if (this.#session.ended) return;
    try {
      await this.#opened?.stop?.();
    } catch (error) {
      if (!this.#session.ended) throw error;
    }
  }

  /** Does not fail where the connection was gone before. A second call joins the first. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const lost = this.#session.ended;
    this.#session.end(new Error("the subscription was closed"));
    try {
      await this.#opened?.close();
    } catch (error) {
      if (!lost) throw error;
    }
  }
}
