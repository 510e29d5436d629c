import type { Sink } from "@lab/core";
import { AdapterSession } from "@lab/core/adapter";
import type { IPublishPacket, MqttClient } from "mqtt";
import { Acknowledger, type Stream } from "./acknowledger.ts";
import { MqttDelivery } from "./delivery.ts";
import { messageOf, TopicAliases } from "./message.ts";
import { Unacknowledged } from "./unacknowledged.ts";
import { warnOfQos2 } from "./warnings.ts";

type Done = Parameters<MqttClient["handleMessage"]>[1];

/**
 * What `handleMessage` gives back for a message that is to be acknowledged later, or never. mqtt.js then sends no
 * PUBACK, reports no error and reads on. One for all: an `Error` takes its stack.
 */
const notYet = new Error("acknowledged later");

export interface ReceiverOptions {
  readonly window: number;
  readonly persistent: boolean;
  readonly inOrder: boolean;
  readonly sink: Sink;
  /** Called when mqtt.js has to wait, and with it whatever the broker has sent behind the message. */
  readonly onHold: () => void;
}

/**
 * Between mqtt.js and the sink: takes the messages, keeps the window, ties redeliveries to what is in hand, and sends
 * the acknowledgements. A message beyond the window, or after `stop`, is held together with mqtt.js's reading: TCP then
 * holds back the broker. MQTT 5 brokers should not send beyond the window; mosquitto 2.0 does.
 */
export class Receiver {
  readonly #options: ReceiverOptions;
  readonly #owed: Unacknowledged;
  #unsettled = 0;
  /** Those of them for which the broker is owed nothing: QoS 0, and what it has forgotten. */
  #unowed = 0;
  #session: AdapterSession | undefined;
  #acknowledger: Acknowledger | undefined;
  #aliases = new TopicAliases();
  #held:
    | { readonly packet: IPublishPacket; readonly topic: string; readonly done: Done }
    | undefined;
  #stopped = false;
  #scheduled = false;

  constructor(options: ReceiverOptions) {
    this.#options = options;
    this.#owed = new Unacknowledged(options.window);
  }

  /** mqtt.js has to wait: pings have to be sent for it. */
  get holding(): boolean {
    return this.#held !== undefined;
  }

  /** A connection is there; `resumed` says whether the broker still has the session. */
  connected(stream: Stream, resumed: boolean): void {
    if (!resumed) this.#endSession(new Error("the broker does not have it any more"));
    this.#session ??= new AdapterSession();
    this.#acknowledger = new Acknowledger(stream, this.#options.inOrder);
    this.#aliases = new TopicAliases();
    this.#owed.resumed();
  }

  connectionLost(cause: Error): void {
    this.#acknowledger = undefined;
    this.#held = undefined;
    if (!this.#options.persistent) this.#endSession(cause);
  }

  /** For `client.handleMessage`. */
  readonly receive = (packet: IPublishPacket, done: Done): void => {
    const acknowledger = this.#acknowledger;
    if (acknowledger === undefined) {
      done(notYet); // Between two connections, or closing: the broker sends it again.
      return;
    }
    const topic = this.#aliases.topicOf(packet);
    if (packet.qos === 1) {
      if (this.#tied(packet, topic, acknowledger)) {
        done(notYet);
        return;
      }
      const { connection } = acknowledger;
      this.#unowed += this.#owed.forgetBefore(idOf(packet), packet.dup, connection);
      if (this.#stopped && this.#owed.missing > 0) {
        done(notYet); // Behind it may come what is in hand, and has to be told of.
        return;
      }
    }
    if (this.#stopped || this.#full) {
      this.#held = { packet, topic, done };
      this.#options.onHold();
    } else {
      this.#deliver(packet, topic, acknowledger);
      done(packet.qos === 1 ? notYet : undefined);
    }
  };

  stop(): void {
    this.#stopped = true;
  }

  /** Sends what is settled, ends the session and lets mqtt.js read on: what it reads comes again another time. */
  end(cause: Error): void {
    this.#stopped = true;
    this.#acknowledger?.flush();
    this.#acknowledger = undefined;
    this.#endSession(cause);
    const held = this.#held;
    this.#held = undefined;
    held?.done(notYet);
  }

  /**
   * What is settled counts until the broker has been told: where a slow message holds back the acknowledgements, the
   * memory would grow with the backlog. But not while a resumed session catches up: what is in hand may come again only
   * behind this.
   */
  get #full(): boolean {
    const catchingUp = this.#owed.missing > 0;
    const inHand = catchingUp ? this.#unsettled : this.#owed.size + this.#unowed;
    return inHand >= this.#options.window;
  }

  #tied(packet: IPublishPacket, topic: string, acknowledger: Acknowledger): boolean {
    const packetId = idOf(packet);
    if (!this.#owed.has(packetId)) return false;
    const tie = this.#owed.tie(packetId, messageOf(topic, packet), acknowledger.connection);
    if (tie === undefined) return false;
    if (tie.moved) {
      acknowledger.received(tie.delivery);
      if (tie.delivery.settled && acknowledger.settled(tie.delivery)) this.#schedule();
    }
    return true;
  }

  #deliver(packet: IPublishPacket, topic: string, acknowledger: Acknowledger): void {
    const delivery = new MqttDelivery(
      this.#session as AdapterSession,
      acknowledger.connection,
      packet.qos === 1 ? idOf(packet) : 0,
      messageOf(topic, packet),
      packet.dup,
      this.#settle,
    );
    if (packet.qos === 1) {
      this.#owed.add(delivery);
      acknowledger.received(delivery);
    } else {
      this.#unowed++;
      if (packet.qos === 2) warnOfQos2(topic);
    }
    this.#unsettled++;
    this.#options.sink.deliver(delivery);
  }

  readonly #settle = (delivery: MqttDelivery): void => {
    this.#unsettled--;
    if (delivery.packetId === 0) this.#unowed--;
    const acknowledger = this.#acknowledger;
    const due = acknowledger?.connection === delivery.connection && acknowledger.settled(delivery);
    if (due || this.#held !== undefined) this.#schedule();
  };

  /** All that is settled in one turn of the event loop goes out together. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    this.#scheduled = false;
    const acknowledger = this.#acknowledger;
    if (acknowledger === undefined) return;
    for (const delivery of acknowledger.flush()) {
      if (delivery.packetId !== 0) this.#owed.acknowledged(delivery);
    }
    const held = this.#held;
    if (held === undefined || this.#stopped || this.#full) return;
    this.#held = undefined;
    this.#deliver(held.packet, held.topic, acknowledger);
    held.done(held.packet.qos === 1 ? notYet : undefined);
  };

  #endSession(cause: Error): void {
    const session = this.#session;
    if (session === undefined) return;
    this.#session = undefined;
    this.#owed.clear();
    this.#unowed = 0;
    this.#unsettled = 0;
    session.end(cause);
    this.#options.sink.sessionEnded(session);
  }
}

function idOf(packet: IPublishPacket): number {
  return packet.messageId as number;
}
