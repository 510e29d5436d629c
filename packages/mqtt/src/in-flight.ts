import type { Batch } from "@lab/core/adapter";

export type Decided = (sent: InFlight, error: Error | null | undefined) => void;

/**
 * A message that is sent and not decided. It is the entry of mqtt.js's `outgoing` too: there is one for each message, and
 * what each needs decides how much the garbage collector has to do.
 */
export class InFlight {
  readonly batch: Batch;
  readonly index: number;
  /** 0 at QoS 0. */
  packetId = 0;
  /** For mqtt.js: to be sent again after a reconnect. */
  readonly volatile = false;
  readonly cmd = "publish";
  /** Called by mqtt.js with the broker's answer. */
  readonly cb: (error?: Error | null) => void;
  /** Its neighbours in the list that it is in. */
  previous: InFlight | undefined = undefined;
  next: InFlight | undefined = undefined;
  listed = false;

  constructor(batch: Batch, index: number, decided: Decided) {
    this.batch = batch;
    this.index = index;
    this.cb = (error) => decided(this, error);
  }
}

/**
 * The messages in flight, the oldest first. Not a `Set`: with this much coming and going, each table that a `Set` has
 * outgrown keeps the next one alive until the old part of the heap is collected.
 */
export class InFlightList {
  #first: InFlight | undefined;
  #last: InFlight | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): InFlight | undefined {
    return this.#first;
  }

  add(sent: InFlight): void {
    sent.listed = true;
    sent.previous = this.#last;
    if (this.#last === undefined) this.#first = sent;
    else this.#last.next = sent;
    this.#last = sent;
    this.#size++;
  }

  /** False when it was not there. */
  delete(sent: InFlight): boolean {
    if (!sent.listed) return false;
    const { previous, next } = sent;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    sent.listed = false;
    sent.previous = undefined;
    sent.next = undefined;
    this.#size--;
    return true;
  }
}
