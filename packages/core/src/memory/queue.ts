import type { Message } from "../ports.ts";
import { Fifo } from "./fifo.ts";

/** Deliveries in one turn of the event loop, so that a handler that settles at once cannot starve everything else. */
const deliveriesPerTurn = 1024;

/** A message as the broker keeps it. */
export interface StoredMessage {
  readonly message: Message;
  /** Rises with arrival; what comes back takes its old place by it. */
  readonly position: number;
  deliveries: number;
}

/** What a queue delivers to: one live session of a subscription. */
export interface QueueConsumer {
  /** False when its window is full. */
  readonly ready: boolean;
  receive(stored: StoredMessage): void;
  /** The queue was deleted. */
  queueDeleted(): void;
}

export interface QueueOptions {
  /** Name of an existing queue that takes what is rejected or delivered too often. @default dropped */
  readonly deadLetterQueue?: string;
  /** A message that comes back after this many deliveries is dead-lettered. An integer ≥ 1. @default no limit */
  readonly maxDeliveries?: number;
}

export class MemoryQueue {
  readonly name: string;
  readonly #deadLetterQueue: MemoryQueue | undefined;
  readonly #maxDeliveries: number;
  readonly #backlog = new Fifo<StoredMessage>();
  /** Delivered before and back again. Highest position first, so that `pop` takes the oldest. */
  readonly #returned: StoredMessage[] = [];
  readonly #consumers: QueueConsumer[] = [];
  #turn = 0;
  #scheduled = false;
  #arrived = 0;
  #delivered = 0;
  #unsettled = 0;

  constructor(name: string, deadLetterQueue: MemoryQueue | undefined, options: QueueOptions) {
    this.name = name;
    this.#deadLetterQueue = deadLetterQueue;
    this.#maxDeliveries = options.maxDeliveries ?? Number.POSITIVE_INFINITY;
  }

  get ready(): number {
    return this.#returned.length + this.#backlog.length;
  }

  get unsettled(): number {
    return this.#unsettled;
  }

  get delivered(): number {
    return this.#delivered;
  }

  append(message: Message): void {
    this.#backlog.push({ message, position: this.#arrived++, deliveries: 0 });
    this.wake();
  }

  attach(consumer: QueueConsumer): void {
    this.#consumers.push(consumer);
    this.wake();
  }

  detach(consumer: QueueConsumer): void {
    const index = this.#consumers.indexOf(consumer);
    if (index >= 0) this.#consumers.splice(index, 1);
  }

  acknowledge(): void {
    this.#unsettled--;
    this.wake();
  }

  reject(stored: StoredMessage): void {
    this.#unsettled--;
    this.#deadLetter(stored);
    this.wake();
  }

  /** Puts delivered messages back where they came from: before all that was published after them. */
  giveBack(messages: Iterable<StoredMessage>): void {
    for (const stored of messages) {
      this.#unsettled--;
      if (stored.deliveries >= this.#maxDeliveries) this.#deadLetter(stored);
      else this.#returned.push(stored);
    }
    this.#returned.sort((a, b) => b.position - a.position);
    this.wake();
  }

  /** Removes what is ready and says how much it was. */
  purge(): number {
    const purged = this.ready;
    this.#backlog.clear();
    this.#returned.length = 0;
    return purged;
  }

  delete(): void {
    this.purge();
    for (const consumer of [...this.#consumers]) consumer.queueDeleted();
  }

  /** Delivers in a later turn: never from within a settle or a publish, and once for all that happens until then. */
  wake(): void {
    if (this.#scheduled || this.#consumers.length === 0 || this.ready === 0) return;
    this.#scheduled = true;
    setImmediate(this.#deliver);
  }

  readonly #deliver = (): void => {
    this.#scheduled = false;
    for (let left = deliveriesPerTurn; left > 0 && this.ready > 0; left--) {
      const consumer = this.#nextReady();
      if (consumer === undefined) return; // A settle wakes the queue again.
      const stored = this.#returned.pop() ?? (this.#backlog.shift() as StoredMessage);
      stored.deliveries++;
      this.#delivered++;
      this.#unsettled++;
      consumer.receive(stored);
    }
    this.wake();
  };

  /** The consumers take turns. */
  #nextReady(): QueueConsumer | undefined {
    const count = this.#consumers.length;
    for (let tried = 0; tried < count; tried++) {
      if (this.#turn >= count) this.#turn = 0;
      const consumer = this.#consumers[this.#turn++] as QueueConsumer;
      if (consumer.ready) return consumer;
    }
    return undefined;
  }

  #deadLetter(stored: StoredMessage): void {
    this.#deadLetterQueue?.append(stored.message);
  }
}
