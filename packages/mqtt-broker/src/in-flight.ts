import type { Delivery } from "./backlog.ts";
import type { Qos } from "./types.ts";

const largestPacketId = 65_535;
const smallest = 16;

/** A message that was sent and is not acknowledged. */
export class InFlight {
  readonly packetId: number;
  readonly qos: Qos;
  /** Absent where nobody will ever send it again. */
  delivery: Delivery | undefined;
  /** PUBREC has come: what is sent again is PUBREL. */
  released = false;
  /** On this connection. */
  sent = true;
  /** When, compared to the others. */
  order = 0;

  constructor(packetId: number, qos: Qos, delivery: Delivery | undefined) {
    this.packetId = packetId;
    this.qos = qos;
    this.delivery = delivery;
  }
}

/** For all of QoS 1 that nobody will send again: it says all there is to say. */
export const unkept: InFlight = new InFlight(0, 1, undefined);

/**
 * The messages in flight by packet id. Not a `Map`: each table that a `Map` has outgrown keeps the next one alive, so
 * with this much coming and going the old part of the heap fills with them.
 */
export class InFlightTable {
  /** A packet id has one place: what is left of it modulo the length, a power of two. */
  #entries: (InFlight | undefined)[] = new Array(smallest).fill(undefined);
  #ids = new Uint16Array(smallest);
  #size = 0;
  #lastId = 0;
  #order = 0;

  get size(): number {
    return this.#size;
  }

  /** The next packet id whose place is free. There is one as long as fewer than 65535 are in flight. */
  newId(): number {
    if (this.#size * 2 >= this.#entries.length) this.#grow();
    const mask = this.#entries.length - 1;
    do {
      this.#lastId = this.#lastId === largestPacketId ? 1 : this.#lastId + 1;
    } while (this.#entries[this.#lastId & mask] !== undefined);
    return this.#lastId;
  }

  get(packetId: number): InFlight | undefined {
    const place = packetId & (this.#entries.length - 1);
    return this.#ids[place] === packetId ? this.#entries[place] : undefined;
  }

  /** `packetId` is the one that `newId` gave last. */
  add(packetId: number, entry: InFlight): void {
    const place = packetId & (this.#entries.length - 1);
    if (entry !== unkept) entry.order = ++this.#order;
    this.#entries[place] = entry;
    this.#ids[place] = packetId;
    this.#size++;
  }

  /** It has to be there. */
  delete(packetId: number): void {
    this.#entries[packetId & (this.#entries.length - 1)] = undefined;
    this.#size--;
  }

  /** Those that can be sent again, in the order sent. */
  kept(): InFlight[] {
    const kept = this.#entries.filter((entry) => entry !== undefined && entry !== unkept);
    return (kept as InFlight[]).sort((a, b) => a.order - b.order);
  }

  clear(): void {
    this.#entries = new Array(smallest).fill(undefined);
    this.#ids = new Uint16Array(smallest);
    this.#size = 0;
  }

  /** Twice as long, so that places stay apart. */
  #grow(): void {
    const entries = this.#entries;
    const ids = this.#ids;
    this.#entries = new Array(entries.length * 2).fill(undefined);
    this.#ids = new Uint16Array(entries.length * 2);
    for (const [place, entry] of entries.entries()) {
      if (entry === undefined) continue;
      const id = ids[place] as number;
      const newPlace = id & (this.#entries.length - 1);
      this.#entries[newPlace] = entry;
      this.#ids[newPlace] = id;
    }
  }
}
