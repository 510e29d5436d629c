import type { Job } from "./job.ts";

/** The jobs of one key, in order of arrival. Exists only while the key has a job in hand. */
export class KeyQueue {
  key: string | undefined = undefined;
  hash = 0;
  /** The job that holds the key: running, or waiting outside a lane. Nothing else of the key starts before it is done. */
  current: Job | null = null;
  head: Job | null = null;
  tail: Job | null = null;
  /** Next in the same bucket, or in the pool. */
  nextInTable: KeyQueue | null = null;
  /** Next in the ready list. */
  nextReady: KeyQueue | null = null;

  append(job: Job): void {
    if (this.tail === null) this.head = job;
    else this.tail.next = job;
    this.tail = job;
  }

  prepend(job: Job): void {
    job.next = this.head;
    this.head = job;
    if (this.tail === null) this.tail = job;
  }

  shift(): Job {
    const job = this.head as Job;
    this.head = job.next;
    if (this.head === null) this.tail = null;
    job.next = null;
    return job;
  }
}

/**
 * The keys in hand: a chained hash table of pooled nodes. Never more than the window, so it neither grows with the number
 * of keys ever seen nor rehashes; a `Map` entry made and deleted per message would double the engine's cost.
 */
export class KeyTable {
  readonly #buckets: (KeyQueue | null)[];
  readonly #mask: number;
  #spare: KeyQueue | null = null;

  constructor(keys: number) {
    const size = 2 ** Math.min(16, Math.max(4, Math.ceil(Math.log2(keys * 2))));
    this.#buckets = new Array<KeyQueue | null>(size).fill(null);
    this.#mask = size - 1;
  }

  find(key: string, hash: number): KeyQueue | null {
    let queue = this.#buckets[hash & this.#mask] as KeyQueue | null;
    while (queue !== null && (queue.hash !== hash || queue.key !== key)) queue = queue.nextInTable;
    return queue;
  }

  /** Adds a queue. One with an `undefined` key is never found: each unordered message has a queue of its own. */
  add(key: string | undefined, hash: number): KeyQueue {
    const queue = this.#spare ?? new KeyQueue();
    this.#spare = queue.nextInTable;
    const bucket = hash & this.#mask;
    queue.key = key;
    queue.hash = hash;
    queue.nextInTable = this.#buckets[bucket] as KeyQueue | null;
    this.#buckets[bucket] = queue;
    return queue;
  }

  remove(queue: KeyQueue): void {
    const bucket = queue.hash & this.#mask;
    let at = this.#buckets[bucket] as KeyQueue;
    if (at === queue) {
      this.#buckets[bucket] = queue.nextInTable;
    } else {
      while (at.nextInTable !== queue) at = at.nextInTable as KeyQueue;
      at.nextInTable = queue.nextInTable;
    }
    queue.key = undefined;
    queue.nextInTable = this.#spare;
    this.#spare = queue;
  }

  /** All queues, as a list of its own: they may be removed while it is walked. */
  all(): KeyQueue[] {
    const queues: KeyQueue[] = [];
    for (const first of this.#buckets) {
      for (let queue = first; queue !== null; queue = queue.nextInTable) queues.push(queue);
    }
    return queues;
  }
}
