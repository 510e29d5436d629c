/** Time, as the engine sees it. Injected so that tests decide when it passes. */
export interface Clock {
  /** Milliseconds from any fixed origin; never goes back. */
  now(): number;
  /** Calls `callback` once, after `ms` milliseconds. */
  setTimeout(callback: () => void, ms: number): unknown;
  clearTimeout(handle: unknown): void;
}

/** The real time: `performance.now` and Node's timers. */
export const systemClock: Clock = {
  now: () => performance.now(),
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
};
