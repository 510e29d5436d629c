import { LabError, type OutgoingMessage, type PublisherCapabilities } from "@lab/core";
import { unsupportedMessage } from "@lab/core/adapter";
import type { IClientPublishOptions } from "mqtt";
import { keyProperty } from "./message.ts";

type Properties = NonNullable<IClientPublishOptions["properties"]>;

const longestText = 65_535;
/** Fixed header, packet id, lengths of topic and properties: what a PUBLISH has at most beside its contents. */
const overhead = 5 + 2 + 2 + 4;
/** Tag and two lengths of a user property. */
const propertyOverhead = 5;

/** Says why a message cannot be published, or `undefined` where it can. mqtt.js would destroy the connection. */
export function unsupported(
  message: OutgoingMessage,
  capabilities: PublisherCapabilities,
): LabError | undefined {
  if (typeof message !== "object" || message === null) {
    return refusal(`Expected a message with a \`body\`, got ${String(message)}.`);
  }
  const broker = capabilities.headers ? "MQTT 5" : "MQTT 3.1.1";
  const fault = unsupportedMessage(message, capabilities, broker);
  if (fault !== undefined) return fault;
  if (message.headers !== undefined && Object.hasOwn(message.headers, keyProperty)) {
    return refusal(`The header "${keyProperty}" is where the key goes. Give it as \`key\`.`);
  }
  if (!hasTexts(message)) return undefined;
  for (const text of texts(message)) {
    if (Buffer.byteLength(text) > longestText) {
      return refusal(
        "A key, header name or header value has more than 65535 bytes. Put it into the body.",
      );
    }
  }
  return undefined;
}

/** The same for what only the broker's answer tells: the largest packet that it takes. */
export function tooLarge(
  topic: string,
  message: OutgoingMessage,
  largest: number | undefined,
): LabError | undefined {
  const limit = largest ?? 268_435_455;
  let size = overhead + Buffer.byteLength(topic) + message.body.byteLength;
  if (hasTexts(message))
    for (const text of texts(message)) size += propertyOverhead + Buffer.byteLength(text);
  if (size <= limit) return undefined;
  return refusal(
    `The message needs a packet of ${size} bytes, the broker takes ${limit}. Send less, or have the limit raised.`,
  );
}

/** Key and headers as user properties. */
export function propertiesOf({ key, headers }: OutgoingMessage): Properties | undefined {
  if (key === undefined && headers === undefined) return undefined;
  const any = Object.keys(headers ?? {}).length > 0;
  if (key === undefined && !any) return undefined; // mqtt-packet takes no empty ones.
  return {
    userProperties: key === undefined ? { ...headers } : { ...headers, [keyProperty]: key },
  };
}

/** What mqtt.js takes, without copying. */
export function bytesOf({ body }: OutgoingMessage): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

function hasTexts({ key, headers }: OutgoingMessage): boolean {
  return key !== undefined || headers !== undefined;
}

function* texts({ key, headers }: OutgoingMessage): Iterable<string> {
  if (key !== undefined) yield key;
  for (const name in headers) {
    yield name;
    yield headers[name] as string;
  }
}

function refusal(why: string): LabError {
  return new LabError("UNSUPPORTED_MESSAGE", why);
}
