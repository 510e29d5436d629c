import type { Clock } from "../clock.ts";
import { LabError } from "../errors.ts";
import type { Session } from "../ports.ts";

/** The time limit of one attempt, and the signal that tells the handler: of the limit, or of the end of the session. */
export class TimeLimit {
  expired: LabError | undefined;
  readonly #session: Session;
  readonly #clock: Clock;
  readonly #timer: unknown;
  #controller: AbortController | undefined;
  #sessionEnded: (() => void) | undefined;
  #over = false;

  constructor(session: Session, clock: Clock, ms: number) {
    this.#session = session;
    this.#clock = clock;
    this.#timer = clock.setTimeout(() => {
      this.expired = new LabError(
        "HANDLER_TIMEOUT",
        `The handler has not finished within \`handlerTimeout\` (${ms} ms). Let it end when its \`signal\` aborts, or allow more time.`,
      );
      this.#controller?.abort(this.expired);
    }, ms);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      const session = this.#session.signal;
      this.#sessionEnded = () => controller.abort(session.reason);
      if (this.expired !== undefined) controller.abort(this.expired);
      else if (session.aborted) controller.abort(session.reason);
      else if (!this.#over) session.addEventListener("abort", this.#sessionEnded, { once: true });
    }
    return this.#controller.signal;
  }

  /** Ends the limit, with the attempt or with the session. */
  clear(): void {
    this.#over = true;
    this.#clock.clearTimeout(this.#timer);
    if (this.#sessionEnded !== undefined) {
      this.#session.signal.removeEventListener("abort", this.#sessionEnded);
    }
  }
}
