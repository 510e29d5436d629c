import {
  AdapterDelivery,
  type AdapterSession,
  Backoff,
  type OpenedSession,
  type OpenSession,
} from "../../src/adapter/index.ts";
import type { ConnectionState, Delivery, Session, Sink } from "../../src/index.ts";

/** One call of `open`, answered by the test. */
export class Opening implements OpenedSession {
  readonly session: AdapterSession;
  readonly signal: AbortSignal;
  readonly answered: Promise<OpenedSession>;
  /** Answers: the broker has accepted the consumer. */
  accept: () => void = () => {};
  refuse: (error: Error) => void = () => {};
  stops = 0;
  /** Whether the session had ended when it was closed; once per call. */
  readonly closes: boolean[] = [];
  stop: () => Promise<void> = async () => {
    this.stops++;
  };
  closeWith: () => Promise<void> = async () => {};
  readonly #deliver: (delivery: Delivery) => void;

  constructor(...[session, deliver, signal]: Parameters<OpenSession>) {
    this.session = session;
    this.signal = signal;
    this.#deliver = deliver;
    this.answered = new Promise((resolve, reject) => {
      this.accept = () => resolve(this);
      this.refuse = reject;
    });
  }

  close(): Promise<void> {
    this.closes.push(this.session.ended);
    return this.closeWith();
  }

  arrive(text: string): void {
    const message = { body: Buffer.from(text), key: undefined, destination: "q", headers: {} };
    this.#deliver(new AdapterDelivery(this.session, message, false, undefined, 0, () => {}));
  }
}

/** The calls of `open` so far, and what the sink was told, in order. */
export class Openings implements Sink {
  readonly all: Opening[] = [];
  readonly told: string[] = [];
  /** Waits nothing between attempts; remembers whether it was begun anew. */
  readonly backoff: Backoff = new Backoff({ base: 0, cap: 0 });

  readonly open: OpenSession = (...args) => {
    const opening = new Opening(...args);
    this.all.push(opening);
    return opening.answered;
  };

  /** The opening with this number, once it has been asked for. */
  async next(number: number): Promise<Opening> {
    for (;;) {
      const opening = this.all[number];
      if (opening !== undefined) return opening;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  deliver({ message }: Delivery): void {
    this.told.push(`delivery ${Buffer.from(message.body)}`);
  }

  sessionEnded(session: Session): void {
    const number = this.all.findIndex((opening) => opening.session === session);
    this.told.push(`end of session ${number}`);
  }

  connection(state: ConnectionState, cause?: Error): void {
    this.told.push(cause === undefined ? state : `${state}: ${cause.message}`);
  }

  failed(error: Error): void {
    this.told.push(`failed: ${error.message}`);
  }
}
