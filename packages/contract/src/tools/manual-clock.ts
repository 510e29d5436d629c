import type { Clock } from "@lab/core";

/** Time that passes only by `advance`, so that no scenario depends on how fast a machine is. */
export class ManualClock implements Clock {
  #now = 0;
  readonly #timers = new Map<object, { at: number; callback: () => void }>();

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, ms: number): unknown {
    const handle = {};
    this.#timers.set(handle, { at: this.#now + ms, callback });
    return handle;
  }

  clearTimeout(handle: unknown): void {
    this.#timers.delete(handle as object);
  }

  /** Lets `ms` pass and calls what has come due, the earliest first. */
  advance(ms: number): void {
    this.#now += ms;
    const due = [...this.#timers].filter(([, timer]) => timer.at <= this.#now);
    due.sort(([, a], [, b]) => a.at - b.at);
    for (const [handle, { callback }] of due) {
      if (this.#timers.delete(handle)) callback();
    }
  }
}
