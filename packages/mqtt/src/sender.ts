import type { OutgoingMessage } from "@lab/core";
import type { IPublishPacket, MqttClient } from "mqtt";
import type { InFlight } from "./in-flight.ts";
import type { MqttPublisherOptions, Settings } from "./options.ts";
import { bytesOf, propertiesOf } from "./outgoing.ts";
import { PublishEncoder } from "./publish-encoder.ts";

/** So that large messages are not all copied before the first is sent, in bytes. */
const largestWrite = 1_048_576;

/**
 * Hands messages to a connected client: many in one write, where mqtt.js would make several for each. mqtt.js is told of
 * what it has to keep until it is acknowledged, and sends it again after a reconnect.
 */
export class Sender {
  readonly #client: MqttClient;
  readonly #settings: Settings<MqttPublisherOptions>;
  readonly #encoder: PublishEncoder;
  /** A store of the user's may take its time, and nothing may be sent before. */
  readonly #ownStore: boolean;
  #unconfirmed: InFlight[] = [];
  #added = false;

  constructor(client: MqttClient, settings: Settings<MqttPublisherOptions>) {
    this.#client = client;
    this.#settings = settings;
    this.#encoder = new PublishEncoder(settings);
    this.#ownStore = client.options.outgoingStore !== undefined;
  }

  /** Gives it its packet id. What is added is sent by `flush`. */
  add(topic: string, message: OutgoingMessage, sent: InFlight): void {
    if (this.#ownStore) {
      this.#publish(topic, message, sent);
      return;
    }
    if (this.#settings.qos === 0) this.#unconfirmed.push(sent);
    else this.#register(topic, message, sent);
    this.#encoder.add(topic, message, sent.packetId);
    this.#added = true;
    if (this.#encoder.size > largestWrite) this.flush();
  }

  flush(): void {
    if (!this.#added) return;
    this.#added = false;
    const unconfirmed = this.#unconfirmed;
    this.#unconfirmed = [];
    const { stream } = this.#client;
    stream.write(this.#encoder.take(), (error) => {
      // Node calls back without an error too when a socket was destroyed. That the connection is lost is told elsewhere.
      if (error != null || stream.destroyed) return;
      for (const { cb } of unconfirmed) cb();
    });
  }

  #register(topic: string, message: OutgoingMessage, sent: InFlight): void {
    const { outgoing, outgoingStore, messageIdProvider } = this.#client;
    const { retain } = this.#settings;
    let messageId = messageIdProvider.allocate() as number;
    // mqtt.js's own ids start anew after 65535, whatever is in flight.
    while (outgoing[messageId] !== undefined) messageId = messageIdProvider.allocate() as number;
    sent.packetId = messageId;
    const packet: IPublishPacket = {
      cmd: "publish",
      topic,
      payload: bytesOf(message),
      qos: 1,
      retain,
      dup: false,
      messageId,
    };
    const properties = propertiesOf(message);
    if (properties !== undefined) packet.properties = properties;
    outgoing[messageId] = sent;
    outgoingStore.put(packet, ignore);
  }

  #publish(topic: string, message: OutgoingMessage, sent: InFlight): void {
    const { qos, retain } = this.#settings;
    const properties = propertiesOf(message);
    const options = properties === undefined ? { qos, retain } : { qos, retain, properties };
    this.#client.publish(topic, bytesOf(message), options, sent.cb);
    if (qos > 0) sent.packetId = this.#client.getLastMessageId();
  }
}

function ignore(): void {}
