import { Fifo } from "./fifo.ts";
import type { Message } from "./message.ts";
import type { SharedGroup } from "./shared-group.ts";
import type { Qos } from "./types.ts";

/** A message for one session: how it is to be sent. */
export interface Delivery {
  readonly message: Message;
  readonly qos: Qos;
  /** The flag to send. */
  readonly retain: boolean;
  /** Subscription identifiers. */
  readonly identifiers: readonly number[] | undefined;
  /** The shared subscription that it came through. */
  readonly group: SharedGroup | undefined;
}

export interface BacklogLimits {
  readonly maxQueuedMessages: number;
  readonly maxQueuedBytes: number;
  /** In ms. */
  readonly slowClientTimeout: number;
}

/** The backlogs that have been added to although they are half full, since the last look. */
export class Pressure {
  #pressed = new Set<{ readonly relief: Promise<void> | undefined }>();

  add(backlog: { readonly relief: Promise<void> | undefined }): void {
    this.#pressed.add(backlog);
  }

  /** What to wait for before more is sent; `undefined` = nothing. */
  take(): Promise<unknown> | undefined {
    if (this.#pressed.size === 0) return undefined;
    const reliefs = [...this.#pressed].flatMap(({ relief }) => relief ?? []);
    this.#pressed.clear();
    return reliefs.length === 0 ? undefined : Promise.all(reliefs);
  }
}

/**
 * Messages that wait, up to a limit. When it is half full while somebody is there to empty it, those who fill it are
 * asked to wait; but not for longer than `slowClientTimeout`.
 */
export class Backlog<Item extends { readonly message: Message }> {
  readonly #limits: BacklogLimits;
  readonly #pressure: Pressure;
  readonly #onStalled: () => void;
  readonly #queue = new Fifo<Item>();
  #bytes = 0;
  #live = false;
  #stalled: NodeJS.Timeout | undefined;
  #relief: Promise<void> | undefined;
  #relieve: () => void = () => {};

  /** `onStalled` is called when it has been half full for too long. Nobody waits for it then. */
  constructor(limits: BacklogLimits, pressure: Pressure, onStalled: () => void) {
    this.#limits = limits;
    this.#pressure = pressure;
    this.#onStalled = onStalled;
  }

  get size(): number {
    return this.#queue.size;
  }

  /** Bytes of what waits and of what is held beside. */
  get bytes(): number {
    return this.#bytes;
  }

  get full(): boolean {
    const { maxQueuedMessages, maxQueuedBytes } = this.#limits;
    return this.#queue.size >= maxQueuedMessages || this.#bytes >= maxQueuedBytes;
  }

  get halfFull(): boolean {
    const { maxQueuedMessages, maxQueuedBytes } = this.#limits;
    return this.#queue.size * 2 > maxQueuedMessages || this.#bytes * 2 > maxQueuedBytes;
  }

  /** Whether somebody is there to empty it. */
  set live(live: boolean) {
    this.#live = live;
    this.#update();
  }

  push(item: Item): void {
    item.message.own();
    this.#queue.push(item);
    this.#bytes += item.message.size;
    if (this.#live && this.#stalled === undefined) this.#update();
    if (this.#stalled !== undefined) this.#pressure.add(this);
  }

  peek(): Item | undefined {
    return this.#queue.peek();
  }

  shift(): Item | undefined {
    const item = this.#queue.shift();
    if (item !== undefined) this.release(item.message);
    return item;
  }

  unshift(items: readonly Item[]): void {
    for (const { message } of items) this.#bytes += message.size;
    this.#queue.unshift(items);
  }

  /** Counts a message that is kept elsewhere. */
  hold(message: Message): void {
    this.#bytes += message.own().size;
  }

  release(message: Message): void {
    this.#bytes -= message.size;
    if (this.#stalled !== undefined) this.#update();
  }

  /** Resolves when it is less than half full, nobody empties it, or it has stalled; `undefined` when there is no need to wait. */
  get relief(): Promise<void> | undefined {
    if (this.#stalled === undefined) return undefined;
    this.#relief ??= new Promise((resolve) => {
      this.#relieve = resolve;
    });
    return this.#relief;
  }

  clear(): void {
    this.#queue.clear();
    this.#bytes = 0;
    this.#live = false;
    this.#update();
  }

  *[Symbol.iterator](): Iterator<Item> {
    yield* this.#queue;
  }

  #update(): void {
    const pressed = this.#live && this.halfFull;
    if (pressed === (this.#stalled !== undefined)) return;
    if (pressed) {
      this.#stalled = setTimeout(() => {
        this.#live = false;
        this.#update();
        this.#onStalled();
      }, this.#limits.slowClientTimeout);
    } else {
      clearTimeout(this.#stalled);
      this.#stalled = undefined;
      this.#relief = undefined;
      this.#relieve();
    }
  }
}
