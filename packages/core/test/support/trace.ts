import type { Delivery, HandlerContext, Outcome, Session, SettleResult } from "../../src/index.ts";

/** One delivery, as the port and the handler saw it. */
export interface Taken {
  readonly number: number;
  readonly key: string | undefined;
  readonly session: Session;
  begun: boolean;
  succeeded: boolean;
  settled: { readonly outcome: Outcome; readonly result: SettleResult } | undefined;
}

/** One attempt of the handler. */
export interface Attempt {
  readonly number: number;
  readonly key: string | undefined;
  readonly attempt: number;
  readonly lane: number;
  readonly delivery: Delivery;
  readonly start: number;
  end: number | undefined;
}

/**
 * What happened, checked as it happens. A violation is kept rather than thrown: where it is seen, the engine would take
 * a throw for the handler's.
 */
export class Trace {
  readonly violations: string[] = [];
  readonly attempts: Attempt[] = [];
  readonly taken = new Map<Delivery, Taken>();
  /** Messages whose work is done: handled once with success, or confirmed as a dead letter. */
  readonly done = new Set<number>();
  readonly deadLettered: number[] = [];
  unsettledMost = 0;
  readonly #running = new Set<Attempt>();
  readonly #window: number;
  readonly #lanes: number;

  constructor(window: number, lanes: number) {
    this.#window = window;
    this.#lanes = lanes;
  }

  get running(): ReadonlySet<Attempt> {
    return this.#running;
  }

  /** Deliveries of live sessions that are not settled. */
  unsettled(): Taken[] {
    return [...this.taken.values()].filter(
      ({ settled, session }) => settled === undefined && !session.ended,
    );
  }

  /** What could begin if a lane is free: the first of its key, with nothing of the key at work or waiting. */
  ready(): Taken[] {
    const held = new Set([...this.#running].map(({ key }) => key));
    return this.unsettled().filter(({ key, begun }) => {
      if (key === undefined) return !begun;
      const first = !held.has(key);
      held.add(key);
      return first && !begun;
    });
  }

  delivered(delivery: Delivery): void {
    const { message, session } = delivery;
    const number = Number(Buffer.from(message.body).toString());
    const taken: Taken = {
      number,
      key: message.key,
      session,
      begun: false,
      succeeded: false,
      settled: undefined,
    };
    this.taken.set(delivery, taken);
    const unsettled = this.unsettled().length;
    this.unsettledMost = Math.max(this.unsettledMost, unsettled);
    if (unsettled > this.#window) this.#violation(`${unsettled} unsettled, window ${this.#window}`);
  }

  settled(delivery: Delivery, outcome: Outcome, result: SettleResult): void {
    const taken = this.taken.get(delivery) as Taken;
    const { number, succeeded, session } = taken;
    if (taken.settled !== undefined) this.#violation(`message ${number} settled twice`);
    taken.settled = { outcome, result };
    if (outcome === "nack") this.#violation(`message ${number} sent back to the broker`);
    if (outcome === "ack" && !succeeded && !this.deadLettered.includes(number)) {
      this.#violation(`message ${number} acknowledged with no work done`);
    }
    if (result === "settled" && session.ended) {
      this.#violation(`message ${number} settled in a session that has ended`);
    }
  }

  confirmed(number: number): void {
    this.deadLettered.push(number);
    this.done.add(number);
  }

  begin(number: number, context: HandlerContext, start: number): Attempt {
    const { key, attempt, lane, delivery } = context;
    const begun: Attempt = { number, key, attempt, lane, delivery, start, end: undefined };
    const name = `message ${number} of key ${key}, attempt ${attempt}`;
    if (delivery.session.ended) this.#violation(`${name}: begun after its session had ended`);
    for (const other of this.#running) {
      if (key !== undefined && other.key === key) {
        this.#violation(`${name}: begun while message ${other.number} runs`);
      }
      if (other.lane === lane) this.#violation(`${name}: begun in lane ${lane}, which is busy`);
    }
    if (key !== undefined) this.#checkBefore(number, key, delivery, name);
    (this.taken.get(delivery) as Taken).begun = true;
    this.attempts.push(begun);
    this.#running.add(begun);
    if (this.#running.size > this.#lanes) {
      this.#violation(`${this.#running.size} run in ${this.#lanes} lanes`);
    }
    return begun;
  }

  end(attempt: Attempt, now: number, succeeded: boolean): void {
    attempt.end = now;
    this.#running.delete(attempt);
    if (!succeeded) return;
    (this.taken.get(attempt.delivery) as Taken).succeeded = true;
    this.done.add(attempt.number);
  }

  /** All of the key that was delivered before is settled, and all that was published before is done. */
  #checkBefore(number: number, key: string, delivery: Delivery, name: string): void {
    for (const [other, taken] of this.taken) {
      if (other === delivery) break;
      if (taken.key !== key || taken.session.ended) continue;
      if (taken.settled === undefined) {
        this.#violation(`${name}: begun before message ${taken.number} was settled`);
      }
    }
    for (const taken of this.taken.values()) {
      if (taken.key === key && taken.number < number && !this.done.has(taken.number)) {
        this.#violation(`${name}: begun before message ${taken.number} was done`);
      }
    }
  }

  #violation(text: string): void {
    this.violations.push(text);
  }
}
