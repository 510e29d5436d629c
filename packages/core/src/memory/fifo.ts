const chunkSize = 1024;

interface Chunk<T> {
  readonly items: (T | undefined)[];
  next: Chunk<T> | undefined;
}

/** First in, first out, in O(1) whatever the length: an `Array.shift` on a backlog copies it each time. */
export class Fifo<T> {
  #head: Chunk<T> = { items: [], next: undefined };
  #tail: Chunk<T> = this.#head;
  #taken = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(item: T): void {
    if (this.#tail.items.length === chunkSize) {
      this.#tail.next = { items: [], next: undefined };
      this.#tail = this.#tail.next;
    }
    this.#tail.items.push(item);
    this.#length++;
  }

  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    if (this.#taken === chunkSize) {
      this.#head = this.#head.next as Chunk<T>;
      this.#taken = 0;
    }
    const item = this.#head.items[this.#taken];
    this.#head.items[this.#taken++] = undefined; // Let it be collected before its chunk is.
    this.#length--;
    return item;
  }

  clear(): void {
    this.#head = { items: [], next: undefined };
    this.#tail = this.#head;
    this.#taken = 0;
    this.#length = 0;
  }
}
