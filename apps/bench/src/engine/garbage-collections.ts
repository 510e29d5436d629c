import { PerformanceObserver } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";

/** Counts the garbage collections of this process. */
export class GarbageCollections {
  #count = 0;
  readonly #observer = new PerformanceObserver((list) => {
    this.#count += list.getEntries().length;
  });

  constructor() {
    this.#observer.observe({ entryTypes: ["gc"] });
  }

  /** So far. Node tells of them a little later, hence the wait. */
  async count(): Promise<number> {
    await setImmediate();
    await setImmediate();
    return this.#count;
  }
}
