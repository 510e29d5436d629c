import type { OutgoingMessage } from "@lab/core";
import type { IPublishPacket, MqttClient } from "mqtt";
import type { MqttPublisherOptions, Settings } from "./options.ts";
import { bytesOf, propertiesOf } from "./outgoing.ts";
import { PublishEncoder } from "./publish-encoder.ts";

/** So that large messages are not all copied before the first is sent, in bytes. */
const largestWrite = 1_048_576;

export type Done = (error: Error | null | undefined) => void;

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
  #unconfirmed: Done[] = [];
  #added = false;

  constructor(client: MqttClient, settings: Settings<MqttPublisherOptions>) {
    this.#client = client;
    this.#settings = settings;
    this.#encoder = new PublishEncoder(settings);
    this.#ownStore = client.options.outgoingStore !== undefined;
  }

  /** Returns the packet id, 0 at QoS 0. What is added is sent by `flush`. */
  add(topic: string, message: OutgoingMessage, done: Done): number {
    const { qos } = this.#settings;
    if (this.#ownStore) return this.#publish(topic, message, done);
    const packetId = qos === 0 ? 0 : this.#register(topic, message, done);
    if (qos === 0) this.#unconfirmed.push(done);
    this.#encoder.add(topic, message, packetId);
    this.#added = true;
    if (this.#encoder.size > largestWrite) this.flush();
    return packetId;
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
      for (const done of unconfirmed) done(undefined);
    });
  }

  #register(topic: string, message: OutgoingMessage, cb: Done): number {
    const { outgoing, outgoingStore, messageIdProvider } = this.#client;
    const { retain } = this.#settings;
    let messageId = messageIdProvider.allocate() as number;
    // mqtt.js's own ids start anew after 65535, whatever is in flight.
    while (outgoing[messageId] !== undefined) messageId = messageIdProvider.allocate() as number;
    const properties = propertiesOf(message);
    const packet: IPublishPacket = {
      cmd: "publish",
      topic,
      payload: bytesOf(message),
      qos: 1,
      retain,
      dup: false,
      messageId,
      ...(properties && { properties }),
    };
    outgoing[messageId] = { volatile: false, cmd: "publish", cb: (error) => cb(error) };
    outgoingStore.put(packet, () => {});
    return messageId;
  }

  #publish(topic: string, message: OutgoingMessage, done: Done): number {
    const { qos, retain } = this.#settings;
    const properties = propertiesOf(message);
    const options = properties === undefined ? { qos, retain } : { qos, retain, properties };
    this.#client.publish(topic, bytesOf(message), options, done);
    return qos === 0 ? 0 : this.#client.getLastMessageId();
  }
}
