import type { Message } from "@lab/core";
import type { Connection, MqttDelivery } from "./delivery.ts";
import { sameMessage } from "./message.ts";

/**
 * The deliveries in hand whose acknowledgement the broker is owed, by packet id, over all connections of one session.
 *
 * A broker that resumes a session first sends again what it was owed, in the old order, then what is new. Redeliveries
 * are tied to the delivery in hand. What has not come again by the first new message never will: it has expired, or
 * the broker was restored from older data. Such deliveries are forgotten: there is nothing to acknowledge.
 */
export class Unacknowledged {
  readonly #byId = new Map<number, MqttDelivery>();
  #missing = 0;
  /** Ids acknowledged last. Their acknowledgements may have been lost with the connection. */
  readonly #lastAcknowledged: Uint16Array;
  #acknowledged = 0;
  /** Those of them that may come again, and prove nothing then. */
  readonly #mayComeAgain = new Set<number>();

  constructor(window: number) {
    this.#lastAcknowledged = new Uint16Array(Math.min(window, 65_535));
  }

  get size(): number {
    return this.#byId.size;
  }

  /** Those that have not come again on the present connection. */
  get missing(): number {
    return this.#missing;
  }

  has(packetId: number): boolean {
    return this.#byId.has(packetId);
  }

  add(delivery: MqttDelivery): void {
    this.#byId.set(delivery.packetId, delivery);
  }

  /** The delivery in hand that this is a redelivery of. It now belongs to `connection`. */
  tie(
    packetId: number,
    message: Message,
    connection: Connection,
  ): { delivery: MqttDelivery; moved: boolean } | undefined {
    const delivery = this.#byId.get(packetId);
    if (delivery === undefined || !sameMessage(delivery.message, message)) return undefined;
    const moved = delivery.connection !== connection;
    if (moved) {
      delivery.connection = connection;
      this.#missing--;
    }
    return { delivery, moved };
  }

  /**
   * A message that is nobody's redelivery has come: forgets what the broker can no longer be waiting for. Returns how
   * many of the forgotten are not settled yet.
   */
  forgetBefore(packetId: number, isRedelivery: boolean, connection: Connection): number {
    let unsettled = 0;
    const reused = this.#byId.get(packetId);
    if (reused !== undefined) {
      if (reused.connection !== connection) this.#missing--;
      unsettled += this.#forget(reused);
    }
    if (this.#missing === 0 || isRedelivery || this.#mayComeAgain.delete(packetId))
      return unsettled;
    for (const delivery of this.#byId.values()) {
      if (delivery.connection !== connection) unsettled += this.#forget(delivery);
    }
    this.#missing = 0;
    return unsettled;
  }

  acknowledged(delivery: MqttDelivery): void {
    this.#byId.delete(delivery.packetId);
    this.#lastAcknowledged[this.#acknowledged++ % this.#lastAcknowledged.length] =
      delivery.packetId;
  }

  /** The session goes on over a new connection: all are to come again. */
  resumed(): void {
    this.#missing = this.#byId.size;
    this.#mayComeAgain.clear();
    for (const id of this.#lastAcknowledged) this.#mayComeAgain.add(id);
  }

  /** The session has ended. */
  clear(): void {
    this.#byId.clear();
    this.#missing = 0;
    this.#lastAcknowledged.fill(0);
    this.#mayComeAgain.clear();
  }

  #forget(delivery: MqttDelivery): number {
    this.#byId.delete(delivery.packetId);
    delivery.packetId = 0;
    return delivery.settled ? 0 : 1;
  }
}
