import type { FetchedRecord } from "../client.ts";
import type { Completions } from "./completions.ts";

/** The records of one fetch: which offsets they have, and which of them are done. Holds no records. */
export class TrackedRecords {
  readonly count: number;
  readonly #first: number;
  /** Every offset, where compaction or control records have left gaps between them. */
  readonly #offsets: Float64Array | undefined;
  readonly #done: Uint8Array;
  #open: number;
  /** All before it are done. */
  #from = 0;

  constructor(records: readonly FetchedRecord[]) {
    this.count = records.length;
    this.#first = Number(records[0]?.offset);
    const last = Number(records[this.count - 1]?.offset);
    if (last - this.#first !== this.count - 1) {
      this.#offsets = Float64Array.from(records, ({ offset }) => Number(offset));
    }
    this.#done = new Uint8Array(this.count);
    this.#open = this.count;
  }

  get allDone(): boolean {
    return this.#open === 0;
  }

  offset(index: number): number {
    return this.#offsets === undefined ? this.#first + index : (this.#offsets[index] as number);
  }

  isDone(index: number): boolean {
    return this.#done[index] === 1;
  }

  /** To be called once for each. */
  done(index: number): void {
    this.#done[index] = 1;
    this.#open--;
  }

  /** The first that is not done; `count` when there is none. */
  firstOpen(): number {
    while (this.#from < this.count && this.#done[this.#from] === 1) this.#from++;
    return this.#from;
  }

  /** The offsets of those that are done although an earlier one is not, or may not be. */
  *doneFrom(start: number): Generator<number> {
    let left = this.count - this.#open - start;
    for (let index = start; left > 0; index++) {
      if (this.#done[index] === 0) continue;
      left--;
      yield this.offset(index);
    }
  }
}

/** Everything before `offset` is done, which is `records` records since the assignment began. */
export interface Watermark {
  readonly offset: number;
  readonly records: number;
}

/**
 * What is done of one partition in one assignment. Records are registered as they are fetched, before any is handed on,
 * so the watermark can never pass one that is still waiting. Marking one done is O(1); the watermark moves when asked for.
 */
export class OffsetTracker {
  /** Those that are not wholly behind the watermark. */
  readonly #pages: TrackedRecords[] = [];
  readonly #completions: Completions | undefined;
  #next: number | undefined;
  /** Records of the pages that are behind the watermark. */
  #behind = 0;

  /** `completions`: what is known to be done beforehand. */
  constructor(completions?: Completions) {
    this.#completions = completions;
  }

  /** The offset to fetch from next; undefined before the first records. */
  get next(): number | undefined {
    return this.#next;
  }

  register(records: readonly FetchedRecord[], next: number): TrackedRecords {
    const page = new TrackedRecords(records);
    for (let index = 0; this.#completions !== undefined && index < page.count; index++) {
      if (this.#completions.has(page.offset(index))) page.done(index);
    }
    this.#pages.push(page);
    this.#next = next;
    return page;
  }

  /** There is nothing to be done before `next`. */
  skip(next: number): void {
    if (this.#next === undefined || next > this.#next) this.#next = next;
  }

  /** Undefined before the first records. */
  watermark(): Watermark | undefined {
    for (let page = this.#pages[0]; page !== undefined; page = this.#pages[0]) {
      if (!page.allDone) {
        const open = page.firstOpen();
        return { offset: page.offset(open), records: this.#behind + open };
      }
      this.#behind += page.count;
      this.#pages.shift();
    }
    return this.#next === undefined ? undefined : { offset: this.#next, records: this.#behind };
  }

  /** The offsets beyond the watermark that are done, in order. */
  *doneBeyond(): Generator<number> {
    this.watermark();
    for (const [number, page] of this.#pages.entries()) {
      yield* page.doneFrom(number === 0 ? page.firstOpen() : 0);
    }
  }
}
