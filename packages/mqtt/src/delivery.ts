import type { Delivery, Message, Outcome, SettleResult } from "@lab/core";
import { type AdapterSession, unsupportedOutcome } from "@lab/core/adapter";

/** The network connection that a delivery came on; a redelivery moves it to the new one. */
export type Connection = object;

export class MqttDelivery implements Delivery {
  readonly message: Message;
  readonly redelivered: boolean;
  readonly deliveryCount = undefined;
  readonly session: AdapterSession;
  /** The packet id to acknowledge; 0 = the broker waits for nothing. */
  packetId: number;
  connection: Connection;
  settled = false;
  /** The one received after it on its connection. */
  next: MqttDelivery | undefined = undefined;
  readonly #onSettle: (delivery: MqttDelivery) => void;

  constructor(
    session: AdapterSession,
    connection: Connection,
    packetId: number,
    message: Message,
    redelivered: boolean,
    onSettle: (delivery: MqttDelivery) => void,
  ) {
    this.session = session;
    this.connection = connection;
    this.packetId = packetId;
    this.message = message;
    this.redelivered = redelivered;
    this.#onSettle = onSettle;
  }

  settle(outcome: Outcome): SettleResult {
    if (this.settled) return "repeated";
    if (this.session.ended) {
      this.settled = true;
      return "stale";
    }
    if (outcome !== "ack") {
      throw unsupportedOutcome(
        outcome,
        "MQTT",
        "It only acknowledges: a negative PUBACK takes the message away too. Acknowledge it, after a dead letter for example.",
      );
    }
    this.settled = true;
    this.#onSettle(this);
    return "settled";
  }
}
