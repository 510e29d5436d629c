import { accessSync, constants } from "node:fs";
import { LabError } from "@lab/core";
import { Backoff, invalidOption } from "@lab/core/adapter";
import type solace from "solclientjs";
import type { ConnectionSettings, SolaceDefaults } from "./options.ts";
import { loginRefusal, lossOf, passes } from "./refusal.ts";
import { SolclientError } from "./solclient.ts";
import { within } from "./within.ts";

/** How long the broker may take to answer a goodbye, in ms. */
const closeTimeout = 2_000;

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

const inUse = new WeakSet<solace.Session>();

/** One session of the client's, which outlives its connections. */
export class Link {
  readonly #settings: ConnectionSettings;
  readonly #events: LinkEvents;
  readonly #backoff: Backoff;
  readonly #destroyed = new AbortController();
  #session: solace.Session | undefined;
  #up = false;
  #upSince = 0;
  #reconnecting: NodeJS.Timeout | undefined;
  #whenLost: () => void = () => {};
  #onOutcome: (error: LabError | undefined) => void = () => {};

  constructor(settings: ConnectionSettings, events: LinkEvents) {
    this.#settings = settings;
    this.#events = events;
    this.#backoff = new Backoff({ ...settings.backoff, jitter: 0.5 });
  }

  /** The client can be told things: acknowledgements, for one, must not be given to it otherwise. */
  get up(): boolean {
    return this.#up;
  }

  /**
   * Resolves with the session when the broker has let it in. Rejects, with nothing left open, when it does not, when no host
   * answers in time, and when the link is destroyed meanwhile.
   * @throws {LabError} `ACCESS_REFUSED`, `BROKER_UNREACHABLE` or `INVALID_OPTION`
   */
  async open(publisherProperties: solace.MessagePublisherProperties): Promise<solace.Session> {
    const { signal } = this.#destroyed;
    const destroyed = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    const session = await Promise.race([this.#make(publisherProperties), destroyed]);
    const outcome = new Promise<LabError | undefined>((resolve) => {
      this.#onOutcome = resolve;
    });
    this.#listen(session);
    try {
      requireFiles(session.getSessionProperties());
      session.connect();
    } catch (thrown) {
      this.destroy(thrown);
      throw invalid(
        thrown,
        "`connect` has to return a session that was just made: it is connected from here.",
      );
    }
    const refusal = await Promise.race([outcome, destroyed]);
    if (refusal === undefined) return session;
    this.destroy(refusal);
    throw refusal;
  }

  /**
   * Says something to the broker for which it answers with an event. Resolves when it has, when the connection is gone, and
   * after two seconds at the latest. Never rejects.
   */
  async say(
    emitter: solace.Session | solace.MessageConsumer,
    answer: solace.SessionEventCode | solace.MessageConsumerEventName,
    speak: () => void,
  ): Promise<void> {
    if (!this.#up) return;
    const answered = new Promise<void>((resolve) => {
      this.#whenLost = resolve;
      emitter.once(answer as string, () => resolve());
    });
    try {
      speak();
      await within(closeTimeout, answered);
    } catch {
      // The connection is gone, and the event that tells is on its way.
    }
  }

  /** Says goodbye where it can and leaves nothing open. Never rejects; takes a few seconds at most. */
  async close(): Promise<void> {
    const session = this.#session;
    if (session !== undefined) {
      const { DISCONNECTED } = this.#settings.solace.SessionEventCode;
      await this.say(session, DISCONNECTED, () => session.disconnect());
    }
    this.destroy(new Error("it was closed"));
  }

  /** At once, without a goodbye. */
  destroy(cause: unknown): void {
    if (this.#destroyed.signal.aborted) return;
    this.#up = false;
    clearTimeout(this.#reconnecting);
    this.#destroyed.abort(cause);
    this.#session?.dispose();
  }

  async #make(publisherProperties: solace.MessagePublisherProperties): Promise<solace.Session> {
    const { connect, connectTimeout } = this.#settings;
    const defaults: SolaceDefaults = {
      connectTimeoutInMsecs: connectTimeout,
      connectRetries: 0,
      reconnectRetries: 1,
      publisherProperties,
    };
    let session: solace.Session;
    const limit = setTimeout(() => this.destroy(late(connectTimeout)), connectTimeout);
    try {
      session = await connect(defaults);
    } catch (thrown) {
      throw invalid(thrown, hintOf(thrown));
    } finally {
      clearTimeout(limit);
    }
    if (typeof session?.createMessageConsumer !== "function" || inUse.has(session)) {
      const got = inUse.has(session) ? "a session that is in use" : session;
      const todo = "Call solace.SolclientFactory.createSession in it, each time.";
      const expected = "a function that returns a new session";
      throw invalidOption("connect", got, expected, todo);
    }
    inUse.add(session);
    this.#session = session;
    if (this.#destroyed.signal.aborted) session.dispose();
    return session;
  }

  #listen(session: solace.Session): void {
    const code = this.#settings.solace.SessionEventCode;
    session.on(code.UP_NOTICE, this.#onUp);
    session.on(code.RECONNECTED_NOTICE, this.#onUp);
    session.on(code.RECONNECTING_NOTICE, this.#onLost);
    session.on(code.DOWN_ERROR, this.#onDown);
    session.on(code.CONNECT_FAILED_ERROR, this.#onDown);
    session.on("error", () => {}); // A listener that threw; one that nobody hears would end the process.
  }

  readonly #onUp = (): void => {
    if (this.#destroyed.signal.aborted || this.#up) return;
    this.#up = true;
    const first = this.#upSince === 0;
    this.#upSince = performance.now();
    if (first) this.#onOutcome(undefined);
    else this.#events.back();
  };

  readonly #onLost = (event: unknown): void => {
    if (this.#destroyed.signal.aborted || !this.#up) return;
    this.#up = false;
    this.#whenLost();
    if (performance.now() - this.#upSince > steady) this.#backoff.reset();
    this.#events.lost(lossOf("the connection to the broker", event));
  };

  /** No connection could be made, and the client gives up. */
  readonly #onDown = (event: unknown): void => {
    if (this.#destroyed.signal.aborted) return;
    const refusal = loginRefusal(this.#settings.solace, event);
    if (this.#upSince === 0) {
      this.#onOutcome(refusal);
      return;
    }
    this.#onLost(event);
    if (!passes(refusal)) {
      this.#events.refused(refusal);
      return;
    }
    this.#events.trouble(refusal);
    this.#reconnecting = setTimeout(this.#reconnect, this.#backoff.next());
  };

  /** The same session again: its consumers bind again, and what is in hand can be acknowledged still. */
  readonly #reconnect = (): void => {
    try {
      this.#session?.connect();
    } catch (thrown) {
      this.#onDown(thrown);
    }
  };
}

/** Without them the client fails too, but leaves a socket behind that nobody listens to: an error of it ends the process. */
function requireFiles(properties: solace.SessionProperties): void {
  const { sslTrustStores = [], sslCertificate, sslPrivateKey, sslPfx } = properties;
  const files = { sslTrustStores, sslCertificate, sslPrivateKey, sslPfx };
  for (const [name, value] of Object.entries(files)) {
    for (const file of [value].flat()) {
      if (!file) continue; // The client's own default is an empty text.
      try {
        accessSync(file, constants.R_OK);
      } catch {
        throw invalidOption(name, file, "a file that can be read");
      }
    }
  }
}

function invalid(thrown: unknown, todo: string): LabError {
  if (thrown instanceof LabError) return thrown;
  const { message } = new SolclientError(thrown);
  return new LabError("INVALID_OPTION", `\`connect\` threw: ${message}. ${todo}`);
}

function late(ms: number): LabError {
  return new LabError("INVALID_OPTION", `\`connect\` returned no session within ${ms} ms.`);
}

function hintOf(thrown: unknown): string {
  return /not initialized/.test(new SolclientError(thrown).message)
    ? "Call solace.SolclientFactory.init({ profile: solace.SolclientFactoryProfiles.version10_5 }) first."
    : "Correct what is given to createSession.";
}
