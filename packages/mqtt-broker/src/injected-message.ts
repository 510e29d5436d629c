import { LabError } from "@lab/core";
import { invalidOption } from "@lab/core/adapter";
import { longestText } from "./codec/text.ts";
import type { Topic, Topics } from "./topics.ts";
import type { InjectedMessage, MessageProperties } from "./types.ts";

const longestInterval = 4_294_967_295;
/** Fixed header, packet id, lengths: what a PUBLISH has at most beside its contents. */
const overhead = 16;

/**
 * Checks a message of the application's; returns its topic.
 * @throws {LabError} `INVALID_OPTION`, `UNSUPPORTED_MESSAGE`
 */
export function requireMessage(
  message: InjectedMessage,
  topics: Topics,
  maxPacketSize: number,
): Topic {
  if (typeof message !== "object" || message === null) {
    throw invalidOption("message", message, "an object with `topic` and `payload`");
  }
  const { payload, qos = 0, retain = false, properties } = message;
  const topic = topics.find(message.topic) ?? newTopic(message.topic, topics);
  if (typeof payload !== "string" && !(payload instanceof Uint8Array)) {
    throw invalidOption("payload", payload, "a Uint8Array or text");
  }
  if (qos !== 0 && qos !== 1 && qos !== 2) throw invalidOption("qos", qos, "0, 1 or 2");
  if (typeof retain !== "boolean") throw invalidOption("retain", retain, "true or false");
  const size =
    overhead +
    topic.bytes.length +
    (typeof payload === "string" ? Buffer.byteLength(payload) : payload.length) +
    (properties === undefined ? 0 : requireProperties(properties));
  if (size > maxPacketSize) {
    throw new LabError(
      "UNSUPPORTED_MESSAGE",
      `The message needs a packet of ${size} bytes, allowed are ${maxPacketSize}. Send less, or raise \`maxPacketSize\`.`,
    );
  }
  return topic;
}

function newTopic(name: string, topics: Topics): Topic {
  const fault = topics.faultOf(name);
  if (fault !== undefined) throw invalidOption("topic", name, "a topic", `Here, ${fault}.`);
  return topics.of(name);
}

/** Returns how many bytes they take at most. */
function requireProperties(properties: MessageProperties): number {
  if (typeof properties !== "object" || properties === null) {
    throw invalidOption("properties", properties, "an object");
  }
  const { messageExpiryInterval: expiry, correlationData, contentType, responseTopic } = properties;
  if (
    expiry !== undefined &&
    !(Number.isInteger(expiry) && expiry >= 0 && expiry <= longestInterval)
  ) {
    throw invalidOption(
      "properties.messageExpiryInterval",
      expiry,
      `an integer from 0 to ${longestInterval}`,
    );
  }
  let size = 8;
  if (correlationData !== undefined) {
    if (!(correlationData instanceof Uint8Array) || correlationData.length > longestText) {
      throw invalidOption(
        "properties.correlationData",
        typeof correlationData,
        `a Uint8Array of at most ${longestText} bytes`,
      );
    }
    size += 3 + correlationData.length;
  }
  if (contentType !== undefined) size += requireText("properties.contentType", contentType);
  if (responseTopic !== undefined) size += requireText("properties.responseTopic", responseTopic);
  for (const name in properties.userProperties) {
    const value = properties.userProperties[name];
    for (const text of Array.isArray(value) ? value : [value]) {
      size += requireText("properties.userProperties", name);
      size += requireText(`properties.userProperties["${name}"]`, text);
    }
  }
  return size;
}

function requireText(name: string, text: unknown): number {
  if (typeof text !== "string") throw invalidOption(name, text, "text");
  const size = Buffer.byteLength(text);
  if (size > longestText) {
    throw invalidOption(name, `${size} bytes`, `at most ${longestText} bytes of UTF-8`);
  }
  if (text.includes("\0")) throw invalidOption(name, text, "text without U+0000");
  return 3 + size;
}
