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
  readonly #base: number;
  readonly #cap: number;
  readonly #jitter: number;
  #wait: number;

  constructor({ base, cap, jitter = 0 }: BackoffOptions) {
    this.#base = base;
    this.#cap = cap;
    this.#jitter = jitter;
    this.#wait = base;
  }

  /** In ms. */
  next(): number {
    const wait = Math.min(this.#wait, this.#cap);
    this.#wait = wait * 2;
    return wait * (1 - this.#jitter * Math.random());
  }

  /** Call it when the connection holds. */
  reset(): void {
    this.#wait = this.#base;
  }
}
