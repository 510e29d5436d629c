import { backoffDelay } from "../backoff.ts";

export interface BackoffOptions {
  /** First wait, in ms. */
  readonly base: number;
  /** Longest wait, in ms. */
  readonly cap: number;
  /** Part of each wait that is random, 0 … 1, so that many clients do not come back at once. @default 0 */
  readonly jitter?: number;
}

/** How long to wait before the next attempt to connect: twice as long each time, up to `cap`. */
export class Backoff {
  readonly #options: BackoffOptions;
  #attempts = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /** In ms. */
  next(): number {
    return backoffDelay(
      { factor: 2, jitter: 0, ...this.#options },
      ++this.#attempts,
      Math.random(),
    );
  }

  /** Call it when the connection holds. */
  reset(): void {
    this.#attempts = 0;
  }
}
