import type { Outcome } from "@lab/core";
import type solace from "solclientjs";
import type { SolaceDelivery } from "./delivery.ts";
import { sameMessage } from "./message.ts";

/** What a message that comes again is: still in hand, or decided; `undefined` where it is nobody's. */
export type Recognised = "in hand" | Outcome | undefined;

/**
 * The deliveries in hand, and how to recognise those that the broker sends again after the connection was lost. It does so
 * where it gives them new ids; with the old ids the client recognises them itself, and hides them.
 */
export class InHand {
  readonly #deliveries = new Set<SolaceDelivery>();
  /** What may come again: in hand when the connection was lost, or handed out since. By the broker's id, where it gives one. */
  readonly #expected = new Map<string, SolaceDelivery>();
  #lost = false;

  add(delivery: SolaceDelivery): void {
    this.#deliveries.add(delivery);
  }

  settled(delivery: SolaceDelivery, outcome: Outcome): void {
    delivery.outcome = outcome;
    this.#deliveries.delete(delivery);
  }

  /** The connection is gone. An id takes 4 µs to read, so it is only read now. */
  connectionLost(): void {
    this.#lost = true;
    this.#expected.clear();
    for (const delivery of this.#deliveries) this.expect(delivery);
  }

  /** A delivery that was read ahead before the connection was lost may come again too. */
  expect(delivery: SolaceDelivery): void {
    const id = delivery.native.getReplicationGroupMessageId()?.toString();
    if (id !== undefined) this.#expected.set(id, delivery);
  }

  /** Finds the delivery that a message is a repetition of, and has it settled with this arrival from now on. */
  recognise(native: solace.Message): Recognised {
    if (!this.#lost || !native.isRedelivered()) return undefined;
    const delivery = this.#find(native);
    if (delivery === undefined) return undefined;
    delivery.native = native;
    return delivery.outcome ?? "in hand";
  }

  clear(): void {
    this.#deliveries.clear();
    this.#expected.clear();
  }

  #find(native: solace.Message): SolaceDelivery | undefined {
    const id = native.getReplicationGroupMessageId()?.toString() ?? "";
    const expected = this.#expected.get(id);
    if (expected !== undefined) {
      this.#expected.delete(id); // Once: nacked, it comes again as a new delivery.
      return expected.outcome === "nack" ? undefined : expected;
    }
    for (const delivery of this.#deliveries) {
      if (delivery.native !== native && sameMessage(delivery.native, native)) return delivery;
    }
    return undefined;
  }
}
