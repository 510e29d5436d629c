import { percentile } from "../statistics.ts";

/** Kept for the percentiles; the other figures are exact. */
const kept = 50_000;

export interface Summary {
  readonly avg: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
  readonly min: number;
  readonly stddev: number;
  readonly count: number;
}

/** Any number of values in bounded memory: a reservoir, in which each value is as likely to be as any other. */
export class Samples {
  readonly #kept: Float64Array;
  #count = 0;
  #sum = 0;
  #mean = 0;
  #squares = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  constructor(capacity: number = kept) {
    this.#kept = new Float64Array(capacity);
  }

  add(value: number): void {
    const index = this.#count++;
    this.#sum += value;
    const before = value - this.#mean;
    this.#mean += before / this.#count; // Welford's: exact however many there are.
    this.#squares += before * (value - this.#mean);
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
    const place = index < this.#kept.length ? index : Math.floor(Math.random() * this.#count);
    if (place < this.#kept.length) this.#kept[place] = value;
  }

  /** All figures are 0 where there is no value. */
  summary(): Summary {
    const count = this.#count;
    const ascending = this.#kept.slice(0, Math.min(count, this.#kept.length)).sort();
    return {
      avg: count === 0 ? 0 : this.#sum / count,
      p50: percentile(ascending, 0.5),
      p90: percentile(ascending, 0.9),
      p95: percentile(ascending, 0.95),
      p99: percentile(ascending, 0.99),
      p999: percentile(ascending, 0.999),
      max: count === 0 ? 0 : this.#max,
      min: count === 0 ? 0 : this.#min,
      stddev: count === 0 ? 0 : Math.sqrt(this.#squares / count),
      count,
    };
  }
}
