import type { LabError } from "@lab/core";
import { Backoff, within } from "@lab/core/adapter";
import type solace from "solclientjs";
import type { ConnectionSettings } from "./options.ts";
import { loginRefusal, lossOf, passes } from "./refusal.ts";
import { late, makeSession, requireFiles, unusable } from "./session.ts";

/** How long the broker may take to answer a goodbye, in ms. */
const closeTimeout = 2_000;

/** How long closing waits for an attempt to connect and a goodbye, in ms. */
const patience = 2 * closeTimeout;

/** A connection that has lasted so long, in ms, does not count as one more failure. */
const steady = 5_000;

export interface LinkEvents {
  /** The connection is gone; a new one is tried for. */
  lost(cause: LabError): void;
  /** An attempt to connect again has failed, and another will be made. */
  trouble(cause: LabError): void;
  /** Logged in again. */
  back(): void;
  /** The broker lets this session in no more. It is to be ended. */
  refused(error: LabError): void;
}

/** What the client does: an attempt to connect is under way, it is logged in, or neither. */
type State = "at rest" | "connecting" | "up";

/** One session of the client's, which outlives its connections. */
export class Link {
  readonly #settings: ConnectionSettings;
  readonly #events: LinkEvents;
  readonly #backoff: Backoff;
  /** Aborts when the link is to be closed. */
  readonly #over = new AbortController();
  #session: solace.Session | undefined;
  #state: State = "at rest";
  #onState: () => void = () => {};
  #upSince = 0;
  #reconnecting: NodeJS.Timeout | undefined;
  #ended: Promise<void> | undefined;
  #onOutcome: (error: LabError | undefined) => void = () => {};

  constructor(settings: ConnectionSettings, events: LinkEvents) {
    this.#settings = settings;
    this.#events = events;
    this.#backoff = new Backoff({ ...settings.backoff, jitter: 0.5 });
  }

  /** The client can be told things: acknowledgements, for one, must not be given to it otherwise. */
  get up(): boolean {
    return this.#state === "up";
  }

  /**
   * Resolves with the session when the broker has let it in. Rejects when it does not, when no host answers in time, and when
   * the link is closed meanwhile; the caller then closes it.
   * @throws {LabError} `ACCESS_REFUSED`, `BROKER_UNREACHABLE` or `INVALID_OPTION`
   */
  async open(publisherProperties: solace.MessagePublisherProperties): Promise<solace.Session> {
    const { signal } = this.#over;
    const over = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    const session = await Promise.race([this.#make(publisherProperties), over]);
    const outcome = new Promise<LabError | undefined>((resolve) => {
      this.#onOutcome = resolve;
    });
    this.#listen(session);
    try {
      requireFiles(session.getSessionProperties());
      this.#connect(session);
    } catch (thrown) {
      const todo = "It has to return a session that was just made: it is connected from here.";
      throw unusable(thrown, todo);
    }
    const refusal = await Promise.race([outcome, over]);
    if (refusal !== undefined) throw refusal;
    return session;
  }

  /**
   * Says something to the broker for which it answers with an event. Resolves when it has, when the connection is gone, and
   * after `limit` ms at the latest. Never rejects.
   */
  async say(
    emitter: solace.Session | solace.MessageConsumer,
    answer: solace.SessionEventCode | solace.MessageConsumerEventName,
    speak: () => void,
    limit: number = closeTimeout,
  ): Promise<void> {
    if (!this.up) return;
    const answered = new Promise<void>((resolve) => {
      this.#onState = resolve;
      emitter.once(answer as string, () => resolve());
    });
    try {
      speak();
      await within(limit, answered);
    } catch {
      // The connection is gone, and the event that tells is on its way.
    }
  }

  /**
   * Says goodbye where it can and leaves nothing open. Never rejects; takes a few seconds at most. An attempt to connect that
   * lasts longer is closed when the client gives it up.
   */
  close(): Promise<void> {
    return this.#close(new Error("it was closed"), closeTimeout);
  }

  /** Like `close`, and does not wait for an answer to the goodbye. */
  destroy(cause: unknown): Promise<void> {
    return this.#close(cause, 0);
  }

  #close(cause: unknown, limit: number): Promise<void> {
    if (this.#ended === undefined) {
      this.#over.abort(cause);
      clearTimeout(this.#reconnecting);
      this.#ended = this.#end(limit);
    }
    return within(patience, this.#ended);
  }

  async #end(limit: number): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    const { DISCONNECTED } = this.#settings.solace.SessionEventCode;
    await this.#attempt(session);
    await this.say(session, DISCONNECTED, () => session.disconnect(), limit);
    await this.#attempt(session); // Where the user has it reconnect by itself.
    session.dispose();
  }

  /** The end of an attempt to connect. Disposed of before it, the client leaves its socket open for good. */
  async #attempt(session: solace.Session): Promise<void> {
    if (this.#state !== "connecting") return;
    const { url, connectTimeoutInMsecs = 0 } = session.getSessionProperties();
    const hosts = String(url).split(",").length;
    const decided = new Promise<void>((resolve) => {
      this.#onState = resolve;
    });
    await within(hosts * connectTimeoutInMsecs + closeTimeout, decided);
  }

  async #make(publisherProperties: solace.MessagePublisherProperties): Promise<solace.Session> {
    const { connectTimeout } = this.#settings;
    const limit = setTimeout(() => this.#over.abort(late(connectTimeout)), connectTimeout);
    try {
      const session = await makeSession(this.#settings, publisherProperties);
      if (this.#over.signal.aborted) session.dispose();
      else this.#session = session;
      return session;
    } finally {
      clearTimeout(limit);
    }
  }

  #listen(session: solace.Session): void {
    const code = this.#settings.solace.SessionEventCode;
    session.on(code.UP_NOTICE, this.#onUp);
    session.on(code.RECONNECTED_NOTICE, this.#onUp);
    session.on(code.RECONNECTING_NOTICE, (event) => this.#onLost("connecting", event));
    session.on(code.DOWN_ERROR, this.#onDown);
    session.on(code.CONNECT_FAILED_ERROR, this.#onDown);
    session.on(code.DISCONNECTED, () => this.#become("at rest"));
    session.on("error", () => {}); // A listener that threw; one that nobody hears would end the process.
  }

  #become(state: State): void {
    this.#state = state;
    this.#onState();
  }

  #connect(session: solace.Session): void {
    this.#state = "connecting";
    try {
      session.connect();
    } catch (thrown) {
      this.#state = "at rest";
      throw thrown;
    }
  }

  readonly #onUp = (): void => {
    this.#become("up");
    if (this.#over.signal.aborted) return;
    const first = this.#upSince === 0;
    this.#upSince = performance.now();
    if (first) this.#onOutcome(undefined);
    else this.#events.back();
  };

  #onLost(state: State, event: unknown): void {
    const wasUp = this.up;
    this.#become(state);
    if (this.#over.signal.aborted || !wasUp) return;
    if (performance.now() - this.#upSince > steady) this.#backoff.reset();
    this.#events.lost(lossOf("the connection to the broker", event));
  }

  /** The connection is lost, or none could be made. */
  readonly #onDown = (event: unknown): void => {
    const wasUp = this.up;
    this.#onLost("at rest", event);
    if (this.#over.signal.aborted) return;
    if (!wasUp) {
      const refusal = loginRefusal(this.#settings.solace, event);
      if (this.#upSince === 0) {
        this.#onOutcome(refusal);
        return;
      }
      if (!passes(refusal)) {
        this.#events.refused(refusal);
        return;
      }
      this.#events.trouble(refusal);
    }
    this.#reconnecting = setTimeout(this.#reconnect, this.#backoff.next());
  };

  /** The same session again: its consumers bind again, and what is in hand can be acknowledged still. */
  readonly #reconnect = (): void => {
    const session = this.#session as solace.Session;
    try {
      this.#connect(session);
    } catch (thrown) {
      this.#onDown(thrown);
    }
  };
}
