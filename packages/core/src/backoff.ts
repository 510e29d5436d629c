/** A back-off with every value set. */
export interface Backoff {
  readonly base: number;
  readonly factor: number;
  readonly cap: number;
  readonly jitter: number;
}

/** The wait in ms after attempt number `attempt` (1, 2, …) has failed. `random` is 0 … 1. */
export function backoffDelay(backoff: Backoff, attempt: number, random: number): number {
  const growth = Math.min(Number.MAX_VALUE, backoff.factor ** (attempt - 1)); // 0 × Infinity is NaN.
  return Math.min(backoff.cap, backoff.base * growth) * (1 - backoff.jitter * random);
}
