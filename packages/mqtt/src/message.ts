import { isDeepStrictEqual } from "node:util";
import type { Message } from "@lab/core";
import type { IPublishPacket } from "mqtt";

/** The user property of MQTT 5 that carries the key. */
export const keyProperty = "key";

const noHeaders: Readonly<Record<string, string>> = Object.freeze({});

/** A message as it arrived. The key is the user property `key`, or the topic where there is none. */
export function messageOf(topic: string, packet: IPublishPacket): Message {
  const body = packet.payload as Buffer; // mqtt.js parses it as bytes, whatever its options say.
  const properties = packet.properties?.userProperties;
  if (properties === undefined) return { body, key: topic, destination: topic, headers: noHeaders };
  let key = topic;
  const headers: Record<string, string> = {};
  for (const name in properties) {
    const value = properties[name] as string | string[];
    if (name === keyProperty) key = typeof value === "string" ? value : (value[0] as string);
    else headers[name] = typeof value === "string" ? value : value.join(", ");
  }
  return { body, key, destination: topic, headers };
}

/** Both are one message that the broker has sent twice, as far as can be told. */
export function sameMessage(one: Message, other: Message): boolean {
  return (
    one.destination === other.destination &&
    one.key === other.key &&
    (one.body as Buffer).equals(other.body) &&
    isDeepStrictEqual(one.headers, other.headers)
  );
}

/** Topic aliases of one connection (MQTT 5): brokers use them where the user's client allows it. */
export class TopicAliases {
  readonly #topics = new Map<number, string>();

  /** The topic of a packet. mqtt.js has refused aliases that nobody has introduced. */
  topicOf(packet: IPublishPacket): string {
    const alias = packet.properties?.topicAlias;
    if (alias === undefined) return packet.topic;
    if (packet.topic !== "") this.#topics.set(alias, packet.topic);
    return this.#topics.get(alias) ?? packet.topic;
  }
}
