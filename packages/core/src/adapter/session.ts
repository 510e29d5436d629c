import { setMaxListeners } from "node:events";
import { LabError, toError } from "../errors.ts";
import type { Delivery, Message, Outcome, Session, SettleResult } from "../ports.ts";

/** A {@link Session} for adapters to hold: `end` it once, when settling has become impossible. */
export class AdapterSession implements Session {
  #controller: AbortController | undefined;
  #reason: LabError | undefined;

  get ended(): boolean {
    return this.#reason !== undefined;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      setMaxListeners(0, this.#controller.signal); // As many as there are handlers; Node warns of more than ten.
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Ends the session. Later calls do nothing. */
  end(cause: unknown): void {
    if (this.#reason !== undefined) return;
    const error = toError(cause);
    this.#reason = new LabError(
      "SESSION_ENDED",
      `The session with the broker has ended (${error.message}). The message will be delivered again; let this attempt go.`,
      { cause: error },
    );
    this.#controller?.abort(this.#reason);
  }
}

/** Tells the broker of a settled delivery. Called at most once per delivery, and only while its session lasts. */
export type Settler<Tag> = (delivery: AdapterDelivery<Tag>, outcome: Outcome) => void;

/** A {@link Delivery} that is settled once. `tag` is what the adapter needs to find it again at the broker. */
export class AdapterDelivery<Tag> implements Delivery {
  readonly message: Message;
  readonly redelivered: boolean;
  readonly deliveryCount: number | undefined;
  readonly session: AdapterSession;
  readonly tag: Tag;
  readonly #settler: Settler<Tag>;
  #settled = false;

  constructor(
    session: AdapterSession,
    message: Message,
    redelivered: boolean,
    deliveryCount: number | undefined,
    tag: Tag,
    settler: Settler<Tag>,
  ) {
    this.session = session;
    this.message = message;
    this.redelivered = redelivered;
    this.deliveryCount = deliveryCount;
    this.tag = tag;
    this.#settler = settler;
  }

  settle(outcome: Outcome): SettleResult {
    if (this.#settled) return "repeated";
    if (this.session.ended) {
      this.#settled = true;
      return "stale";
    }
    this.#settler(this, outcome);
    this.#settled = true;
    return "settled";
  }
}

/** Refuses an outcome that the broker cannot express. */
export function unsupportedOutcome(outcome: Outcome, broker: string, todo: string): LabError {
  return new LabError("UNSUPPORTED_OUTCOME", `${broker} cannot settle with "${outcome}". ${todo}`);
}
