import type { Outcome } from "@lab/core";
import type solace from "solclientjs";
import type { SolaceDelivery } from "./delivery.ts";
import { sameMessage } from "./message.ts";

/** What a message that comes again is: still in hand, or decided; `undefined` where it is nobody's. */
export type Recognised = "in hand" | Outcome | undefined;

/**
 * The deliveries in hand, and how to recognise those that the broker sends again after the connection was lost. It does so
 * where it gives them new ids; with the old ids the client recognises them itself, and hides them.
 *
 * What may come again is what was in hand when the connection was lost, and what the client had read ahead by then and hands
 * out later. It may come several times, as the client holds back copies of several connections.
 */
export class InHand {
  readonly #readAhead: number;
  readonly #most: number;
  /** Each knows its place. A Set that so many pass through keeps the collector busy: 4 µs a message. */
  readonly #deliveries: SolaceDelivery[] = [];
  /** By the broker's id, where it gives one. What is decided keeps nothing but how. The oldest first. */
  readonly #expected = new Map<string, SolaceDelivery | Outcome>();
  #lost = false;
  /** Of the messages to be handed out next, so many may have been read ahead. */
  #mayBeOld = 0;

  constructor(window: number, readAhead: number) {
    this.#readAhead = readAhead;
    this.#most = 2 * (window + readAhead);
  }

  add(delivery: SolaceDelivery): void {
    delivery.place = this.#deliveries.push(delivery) - 1;
    if (this.#mayBeOld === 0) return;
    this.#mayBeOld--;
    this.#expect(delivery);
  }

  settled(delivery: SolaceDelivery, outcome: Outcome): void {
    this.#remove(delivery);
    if (this.#expected.get(delivery.id) === delivery) this.#expected.set(delivery.id, outcome);
  }

  /** The connection is gone. An id takes 4 µs to read, so it is only read now. */
  connectionLost(): void {
    this.#lost = true;
    this.#mayBeOld = this.#readAhead;
    for (const delivery of this.#deliveries) this.#expect(delivery);
  }

  /** Finds the delivery that a message is a repetition of, and has it settled with this arrival from now on. */
  recognise(native: solace.Message): Recognised {
    if (!this.#lost || !native.isRedelivered()) return undefined;
    const found = this.#expected.get(idOf(native)) ?? this.#alike(native);
    if (found === undefined || found === "nack") return undefined; // Nacked, it is to be handed out again.
    this.#mayBeOld = 0; // What was read ahead came before it.
    if (typeof found === "string") return found;
    found.native = native;
    return "in hand";
  }

  clear(): void {
    this.#deliveries.length = 0;
    this.#expected.clear();
  }

  /** The last one takes its place. */
  #remove({ place }: SolaceDelivery): void {
    const last = this.#deliveries.pop();
    if (last === undefined || last.place === place) return;
    this.#deliveries[place] = last;
    last.place = place;
  }

  #expect(delivery: SolaceDelivery): void {
    const id = idOf(delivery.native);
    if (id === "") return;
    delivery.id = id;
    this.#expected.delete(id); // To be the newest.
    this.#expected.set(id, delivery);
    for (const oldest of this.#expected.keys()) {
      if (this.#expected.size <= this.#most) break;
      this.#expected.delete(oldest);
    }
  }

  /** Where the broker's id does not tell, the application's may. */
  #alike(native: solace.Message): SolaceDelivery | undefined {
    for (const delivery of this.#deliveries) {
      if (delivery.native !== native && sameMessage(delivery.native, native)) return delivery;
    }
    return undefined;
  }
}

function idOf(native: solace.Message): string {
  return native.getReplicationGroupMessageId()?.toString() ?? "";
}
