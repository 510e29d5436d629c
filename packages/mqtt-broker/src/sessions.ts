import type { BacklogLimits, Pressure } from "./backlog.ts";
import { Outbox } from "./outbox.ts";
import { Reason } from "./reason.ts";
import { Session, type SessionClient, type Will } from "./session.ts";
import { after } from "./timer.ts";
import type { DropReason } from "./types.ts";

export interface SessionEvents {
  /** Subscriptions are still there. */
  ended(session: Session): void;
  will(will: Will, session: Session): void;
  dropped(clientId: string, reason: DropReason): void;
}

/** Every session by its client id, and what happens while its client is away. */
export class Sessions {
  readonly #byClientId = new Map<string, Session>();
  readonly #limits: BacklogLimits;
  readonly #pressure: Pressure;
  readonly #events: SessionEvents;

  constructor(limits: BacklogLimits, pressure: Pressure, events: SessionEvents) {
    this.#limits = limits;
    this.#pressure = pressure;
    this.#events = events;
  }

  get size(): number {
    return this.#byClientId.size;
  }

  get(clientId: string): Session | undefined {
    return this.#byClientId.get(clientId);
  }

  [Symbol.iterator](): Iterator<Session> {
    return this.#byClientId.values();
  }

  /** Gives a client its session, or a new one. Another client that uses it is disconnected. */
  open(clientId: string, clean: boolean): { session: Session; present: boolean } {
    const found = this.#byClientId.get(clientId);
    found?.client?.close(
      Reason.sessionTakenOver,
      "Another client has connected with this client id.",
    );
    if (found !== undefined && clean) this.end(found);
    const known = this.#byClientId.get(clientId); // It may have ended with the connection.
    if (known !== undefined) {
      known.cancelTimers();
      return { session: known, present: true };
    }
    const session: Session = new Session(
      clientId,
      new Outbox(this.#limits, this.#pressure, {
        slow: (why) => session.client?.close(Reason.quotaExceeded, why),
        dropped: (reason) => this.#events.dropped(clientId, reason),
      }),
    );
    this.#byClientId.set(clientId, session);
    return { session, present: false };
  }

  /** A client has the session from now on. */
  attach(session: Session, client: SessionClient, expiry: number, will: Will | undefined): void {
    session.client = client;
    session.info = client.info;
    session.expiry = expiry;
    session.will = will;
    session.outbox.persistent = expiry > 0;
    for (const group of session.groups) group.changed();
  }

  /** The connection is gone. */
  detach(session: Session): void {
    session.client = undefined;
    session.outbox.detach();
    for (const group of session.groups) group.changed();
    const { will, expiry } = session;
    if (expiry === 0) {
      this.end(session);
      return;
    }
    const cancels = [after(expiry * 1_000, () => this.end(session))];
    if (will !== undefined) {
      if (will.delay === 0) this.#sendWill(session);
      else cancels.push(after(will.delay * 1_000, () => this.#sendWill(session)));
    }
    session.cancelTimers = () => {
      for (const cancel of cancels) cancel();
    };
  }

  /** Forgets a session that no client uses; its will is due now, if not before. */
  end(session: Session): void {
    if (session.ended) return;
    session.ended = true;
    session.cancelTimers();
    this.#byClientId.delete(session.clientId);
    this.#sendWill(session);
    this.#events.ended(session);
  }

  #sendWill(session: Session): void {
    const { will } = session;
    session.will = undefined;
    if (will !== undefined) this.#events.will(will, session);
  }
}
