import type { Job } from "./job.ts";
import type { KeyQueue } from "./key-table.ts";

const arrivalOf = (queue: KeyQueue): number => (queue.head as Job).arrival;

/**
 * The keys that could run now, oldest head first. Keys that become ready by an arrival come in order already, so a list
 * serves them; only keys that become ready again with older messages waiting need the heap.
 */
export class ReadySet {
  #first: KeyQueue | null = null;
  #last: KeyQueue | null = null;
  readonly #heap: KeyQueue[] = [];

  get empty(): boolean {
    return this.#first === null && this.#heap.length === 0;
  }

  /** Adds a key whose head arrived after every head that was added by `append` before. */
  append(queue: KeyQueue): void {
    queue.nextReady = null;
    if (this.#last === null) this.#first = queue;
    else this.#last.nextReady = queue;
    this.#last = queue;
  }

  /** Adds a key whose head may be older than others. */
  insert(queue: KeyQueue): void {
    const heap = this.#heap;
    const arrival = arrivalOf(queue);
    let at = heap.length;
    heap.push(queue);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as KeyQueue;
      if (arrivalOf(above) <= arrival) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = queue;
  }

  /** Takes out the key with the oldest head. */
  take(): KeyQueue | null {
    const first = this.#first;
    const top = this.#heap[0];
    if (first === null) return top === undefined ? null : this.#takeTop();
    if (top !== undefined && arrivalOf(top) < arrivalOf(first)) return this.#takeTop();
    this.#first = first.nextReady;
    if (this.#first === null) this.#last = null;
    first.nextReady = null;
    return first;
  }

  /** Puts one key in and takes the oldest out: often the same one. */
  exchange(queue: KeyQueue): KeyQueue {
    const arrival = arrivalOf(queue);
    const first = this.#first;
    const top = this.#heap[0];
    if (first !== null && arrivalOf(first) < arrival) {
      if (top === undefined || arrivalOf(first) < arrivalOf(top)) {
        const oldest = this.take() as KeyQueue;
        this.insert(queue);
        return oldest;
      }
    } else if (top === undefined || arrival < arrivalOf(top)) {
      return queue;
    }
    this.#heap[0] = queue;
    this.#sink();
    return top;
  }

  clear(): void {
    this.#first = null;
    this.#last = null;
    this.#heap.length = 0;
  }

  #takeTop(): KeyQueue {
    const heap = this.#heap;
    const top = heap[0] as KeyQueue;
    const last = heap.pop() as KeyQueue;
    if (heap.length > 0) {
      heap[0] = last;
      this.#sink();
    }
    return top;
  }

  /** Restores the heap after its top was replaced. */
  #sink(): void {
    const heap = this.#heap;
    const queue = heap[0] as KeyQueue;
    const arrival = arrivalOf(queue);
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right !== undefined && arrivalOf(right) < arrivalOf(heap[child] as KeyQueue)) child++;
      const below = heap[child] as KeyQueue;
      if (arrivalOf(below) >= arrival) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = queue;
  }
}
