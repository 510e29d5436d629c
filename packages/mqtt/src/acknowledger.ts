import type { MqttClient } from "mqtt";
import type { Connection, MqttDelivery } from "./delivery.ts";

/** MQTT's PUBACK without a reason code: the same four bytes in 3.1.1 and 5. */
const packetLength = 4;
const puback = 0x40;

export type Stream = MqttClient["stream"];

/**
 * Sends the acknowledgements of one connection, in the order received or as settled: one write for all that are due in
 * one turn of the event loop. It writes to the stream itself, since mqtt.js acknowledges only before it reads on.
 */
export class Acknowledger {
  readonly connection: Connection;
  readonly #stream: Stream;
  readonly #inOrder: boolean;
  #first: MqttDelivery | undefined;
  #last: MqttDelivery | undefined;
  #due: MqttDelivery[] = [];

  constructor(stream: Stream, inOrder: boolean) {
    this.connection = stream;
    this.#stream = stream;
    this.#inOrder = inOrder;
  }

  /** A delivery has come on this connection, for the first time or again. */
  received(delivery: MqttDelivery): void {
    if (!this.#inOrder) return;
    delivery.next = undefined;
    if (this.#last === undefined) this.#first = delivery;
    else this.#last.next = delivery;
    this.#last = delivery;
  }

  /** Notes a settled delivery of this connection; true when something is due to be sent. */
  settled(delivery: MqttDelivery): boolean {
    if (this.#inOrder) this.#advance();
    else if (delivery.packetId !== 0) this.#due.push(delivery);
    return this.#due.length > 0;
  }

  /** Writes what is due and returns it. */
  flush(): readonly MqttDelivery[] {
    const due = this.#due;
    this.#due = [];
    const bytes = Buffer.allocUnsafe(due.length * packetLength);
    let end = 0;
    for (const { packetId } of due) {
      if (packetId === 0) continue; // Forgotten by the broker.
      bytes[end] = puback;
      bytes[end + 1] = 2;
      end = bytes.writeUInt16BE(packetId, end + 2);
    }
    if (end > 0) this.#stream.write(bytes.subarray(0, end));
    return due;
  }

  #advance(): void {
    let delivery = this.#first;
    while (delivery?.settled === true) {
      this.#due.push(delivery);
      const next: MqttDelivery | undefined = delivery.next;
      delivery.next = undefined; // Or whoever keeps one delivery would keep all that came after it.
      delivery = next;
    }
    this.#first = delivery;
    if (delivery === undefined) this.#last = undefined;
  }
}
