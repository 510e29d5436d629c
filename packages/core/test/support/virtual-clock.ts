import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "../../src/clock.ts";

interface Timer {
  readonly at: number;
  readonly number: number;
  callback: (() => void) | undefined;
}

/**
 * Turns of the event loop without a due timer before time goes on. All promises and everything that a memory broker
 * does at one moment (settle, deliver, confirm a publish, deliver the next) happens within them.
 */
const quietTurns = 4;

/**
 * Time that passes only when nothing is left to do now. Real promises and real callbacks: `setImmediate` runs after all
 * of them, and there the clock goes on to the next timer, one at a time, those of one moment in the order they were set.
 */
export class VirtualClock implements Clock {
  /** Called each time that everything of a moment has happened, before time goes on. */
  beforeStep: () => void = () => {};
  readonly #timers: Timer[] = []; // A binary heap.
  #now = 0;
  #numbers = 0;
  #quiet = 0;
  #armed = false;
  #live = 0;

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, ms: number): Timer {
    const timer: Timer = { at: this.#now + Math.max(0, ms), number: this.#numbers++, callback };
    this.#push(timer);
    this.#live++;
    this.#arm();
    return timer;
  }

  clearTimeout(handle: unknown): void {
    const timer = handle as Timer | undefined;
    if (timer?.callback === undefined) return;
    timer.callback = undefined;
    this.#live--;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.setTimeout(resolve, ms);
    });
  }

  /** Resolves when nothing is left to happen: no timer is set, and none is being set. */
  async quiet(): Promise<void> {
    for (let turns = 0; turns < 5 * quietTurns; turns++) {
      await turn();
      if (this.#live > 0) turns = 0;
    }
  }

  #arm(): void {
    this.#quiet = 0;
    if (this.#armed) return;
    this.#armed = true;
    setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    while (this.#timers[0] !== undefined && this.#timers[0].callback === undefined) this.#pop();
    const next = this.#timers[0];
    if (next === undefined) {
      this.#armed = false;
      return;
    }
    setImmediate(this.#turn);
    if (++this.#quiet < quietTurns) return;
    this.#quiet = 0;
    this.beforeStep();
    this.#pop();
    this.#now = next.at;
    this.#live--;
    const callback = next.callback;
    next.callback = undefined;
    callback?.();
  };

  #push(timer: Timer): void {
    const heap = this.#timers;
    let index = heap.length;
    heap.push(timer);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!before(timer, heap[parent] as Timer)) break;
      heap[index] = heap[parent] as Timer;
      index = parent;
    }
    heap[index] = timer;
  }

  #pop(): void {
    const heap = this.#timers;
    const last = heap.pop() as Timer;
    if (heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1] as Timer, heap[child] as Timer))
        child++;
      if (!before(heap[child] as Timer, last)) break;
      heap[index] = heap[child] as Timer;
      index = child;
    }
    heap[index] = last;
  }
}

function before(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.number < b.number);
}
