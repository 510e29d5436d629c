/** What a ledger has found so far. All zero but `published`, `handled` and `deadLettered` = as it should be. */
export interface LedgerReport {
  readonly published: number;
  /** Messages handled successfully at least once. */
  readonly handled: number;
  readonly deadLettered: number;
  /** Messages published, and neither handled nor dead-lettered. */
  readonly lost: number;
  /** Key inversions: a message started before the one before it was handled or dead-lettered. */
  readonly violations: number;
  /** Two handlers of one key at once. */
  readonly overlaps: number;
  /** Messages handled successfully again though no fault was injected. */
  readonly duplicates: number;
  /** Messages handled successfully again after a fault: at least once allows it. */
  readonly repeats: number;
}

/** How many findings are kept in words. */
const FINDINGS = 10;

/** One key: everything before `done` is done, and so is what is in `ahead`. */
interface Page {
  published: number;
  done: number;
  ahead: Set<number> | undefined;
  running: number;
}

/**
 * Judges order and completeness. Each key's messages carry the sequence numbers 0, 1, 2 … in the order published; the
 * handler reports its start and its end. Costs a map look-up a call, and memory for keys only, as long as order is kept.
 */
export class Ledger {
  readonly #pages = new Map<string, Page>();
  readonly #findings: string[] = [];
  #published = 0;
  #handled = 0;
  #deadLettered = 0;
  #violations = 0;
  #overlaps = 0;
  #duplicates = 0;
  #repeats = 0;
  #running = 0;
  #faulty = false;

  /** Notes that the next message of `key` is published and returns its sequence number. */
  publish(key: string): number {
    this.#published++;
    return this.#page(key).published++;
  }

  /** A handler has started on a message. */
  start(key: string, seq: number): void {
    const page = this.#page(key);
    if (page.running > 0) {
      this.#overlaps++;
      this.#note(`${key}/${seq} started while ${page.running} of its key ran`);
    }
    if (seq > page.done && page.ahead?.has(seq - 1) !== true) {
      this.#violations++;
      this.#note(`${key}/${seq} started before ${key}/${seq - 1} was done`);
    }
    page.running++;
    this.#running++;
  }

  /** The handler that was started has succeeded. */
  succeed(key: string, seq: number): void {
    this.#end(key);
    if (this.#markDone(key, seq)) {
      this.#handled++;
    } else if (this.#faulty) {
      this.#repeats++;
    } else {
      this.#duplicates++;
      this.#note(`${key}/${seq} was handled again`);
    }
  }

  /** The handler that was started has failed or given up. */
  fail(key: string, _seq: number): void {
    this.#end(key);
  }

  /** The message is done with by another way: its dead letter is confirmed, or it was rejected. */
  deadLetter(key: string, seq: number): void {
    if (this.#markDone(key, seq)) this.#deadLettered++;
  }

  /** True once a fault was injected. */
  get faulty(): boolean {
    return this.#faulty;
  }

  /** The keys published so far. */
  get keys(): string[] {
    return [...this.#pages.keys()];
  }

  /** From now on the broker may repeat what it has delivered before. */
  faultInjected(): void {
    this.#faulty = true;
  }

  /** Handlers running now. */
  get running(): number {
    return this.#running;
  }

  /** Messages handled or dead-lettered, each counted once. */
  get done(): number {
    return this.#handled + this.#deadLettered;
  }

  /** Everything published is done. */
  get complete(): boolean {
    return this.done >= this.#published;
  }

  report(): LedgerReport {
    return {
      published: this.#published,
      handled: this.#handled,
      deadLettered: this.#deadLettered,
      lost: this.#published - this.done,
      violations: this.#violations,
      overlaps: this.#overlaps,
      duplicates: this.#duplicates,
      repeats: this.#repeats,
    };
  }

  /** The first findings in words, with the sequence numbers; empty when all is well. */
  get findings(): readonly string[] {
    return this.#findings;
  }

  #page(key: string): Page {
    let page = this.#pages.get(key);
    if (page === undefined) {
      page = { published: 0, done: 0, ahead: undefined, running: 0 };
      this.#pages.set(key, page);
    }
    return page;
  }

  #end(key: string): void {
    this.#page(key).running--;
    this.#running--;
  }

  /** True the first time. */
  #markDone(key: string, seq: number): boolean {
    const page = this.#page(key);
    if (seq < page.done || page.ahead?.has(seq) === true) return false;
    if (seq > page.done) {
      page.ahead ??= new Set();
      page.ahead.add(seq);
      return true;
    }
    page.done++;
    while (page.ahead?.delete(page.done) === true) page.done++;
    return true;
  }

  #note(finding: string): void {
    if (this.#findings.length < FINDINGS) this.#findings.push(finding);
  }
}
