import { diagnostics } from "../diagnostics.ts";
import { LabError, toError } from "../errors.ts";
import type { Delivery, Outcome, Session } from "../ports.ts";
import { Counters } from "./counters.ts";
import { type Job, JobPool } from "./job.ts";

/**
 * - `open`: the normal state.
 * - `finishing`: works on what is in hand; only what was on its way comes in.
 * - `ending`: starts nothing any more; what still runs may settle.
 */
export type Phase = "open" | "finishing" | "ending";

/** The deliveries in hand: taken from the adapter and not yet done with. */
export class InHand {
  readonly counters: Counters = new Counters();
  phase: Phase = "open";
  readonly #source: string;
  readonly #pool: JobPool = new JobPool();
  /** Unsettled deliveries that nobody works on any more, by session. */
  readonly #abandoned = new Map<Session, number>();
  #arrivals = 0;
  #jobs = 0;
  /** Deliveries whose session ended before they were settled, since the consumer takes no new ones. */
  #lost = 0;
  #whenEmpty: (() => void) | undefined;

  constructor(source: string) {
    this.#source = source;
  }

  /** Nothing may start any more. */
  get ending(): boolean {
    return this.phase === "ending";
  }

  take(delivery: Delivery): Job {
    this.#received();
    this.#jobs++;
    return this.#pool.take(delivery, this.#arrivals++);
  }

  /** A delivery that comes too late to be worked on: unsettled, and left to the broker. */
  leave(delivery: Delivery): void {
    this.#received();
    this.#abandon(delivery.session);
  }

  /** Deliveries left to the broker if the consumer ended now. */
  get left(): number {
    return this.counters.unsettled + this.#lost;
  }

  /**
   * Settles. True if the outcome counts. A failure to settle is not the handler's: it is counted,
   * and the handler is not run again for it.
   */
  settle(job: Job, outcome: Outcome): boolean {
    const live = !job.stale;
    // Before the call: from within it the adapter may deliver the next message, or end the session.
    job.settled = true;
    if (live) this.counters.unsettled--;
    try {
      if (job.delivery.settle(outcome) !== "stale") return true;
      this.#unsettle(job, live, true);
      this.counters.staleSettles++;
      if (diagnostics["lab:message:stale"].hasSubscribers)
        diagnostics["lab:message:stale"].publish({ ...this.event(job), outcome });
    } catch (thrown) {
      this.#unsettle(job, live, job.stale);
      this.counters.settleFailures++;
      const cause = toError(thrown);
      const text = `A message could not be settled with "${outcome}" and will be delivered again: ${cause.message}`;
      const error = new LabError("SETTLE_FAILED", text, { cause });
      if (diagnostics["lab:settle:failed"].hasSubscribers) {
        diagnostics["lab:settle:failed"].publish({ ...this.event(job), outcome, error });
      }
    }
    return false;
  }

  /** Its session has ended: from now on it does not count as unsettled, and may take what time it wants. */
  expire(job: Job): void {
    if (job.stale) return;
    job.stale = true;
    job.limit?.clear();
    if (!job.settled) this.#expired(1);
  }

  /** Gives up a job that nobody has begun, or that waits. */
  drop(job: Job): void {
    if (job.delivery.session.ended) {
      this.expire(job);
      this.counters.dropped++;
    }
    this.recycle(job);
  }

  /** Call it after `expire` for each job of the session. */
  sessionEnded(session: Session): void {
    this.#expired(this.#abandoned.get(session) ?? 0);
    this.#abandoned.delete(session);
  }

  /** Gives the job back to the pool. What it was about must be read before. */
  recycle(job: Job): void {
    if (!job.settled && !job.stale) this.#abandon(job.delivery.session);
    this.#pool.put(job);
    if (--this.#jobs === 0) this.#whenEmpty?.();
  }

  /** Calls back once nothing is in hand: at once, or later. */
  whenEmpty(callback: () => void): void {
    this.#whenEmpty = callback;
    if (this.#jobs === 0) callback();
  }

  event(job: Job): { source: string; delivery: Delivery; key: string | undefined } {
    return { source: this.#source, delivery: job.delivery, key: job.key };
  }

  #received(): void {
    const { counters } = this;
    counters.received++;
    if (++counters.unsettled > counters.maxUnsettled) counters.maxUnsettled = counters.unsettled;
  }

  /** The outcome has not counted after all; `live`: it was counted as settled. */
  #unsettle(job: Job, live: boolean, ended: boolean): void {
    job.settled = false;
    if (live) this.counters.unsettled++;
    if (live && ended) this.#expired(1);
    job.stale ||= ended;
  }

  #abandon(session: Session): void {
    this.#abandoned.set(session, (this.#abandoned.get(session) ?? 0) + 1);
  }

  #expired(deliveries: number): void {
    this.counters.unsettled -= deliveries;
    if (this.phase !== "open") this.#lost += deliveries;
  }
}
