import type { Message } from "@lab/core";
import type solace from "solclientjs";
import type { SolaceModule } from "./solclient.ts";

/** The user property that carries the key: Solace's brokers partition by it. */
export const keyProperty = "JMSXGroupID";

/** A message as it arrived, with what only Solace has. Handlers find it as `context.delivery.message`. */
export interface SolaceMessage extends Message {
  /** The client's own object: correlation id, sender's timestamp, reply-to and so on. Never acknowledge or settle it. */
  readonly native: solace.Message;
}

const noHeaders: Readonly<Record<string, string>> = Object.freeze({});
const nothing = new Uint8Array(0);

/** A body is copied when it would keep a buffer alive that is this many times as long. */
const wasteful = 8;

export function messageOf(solace: SolaceModule, native: solace.Message): SolaceMessage {
  const { key, headers } = propertiesOf(solace, native);
  return {
    body: bodyOf(solace, native),
    key,
    destination: native.getDestination()?.getName() ?? "",
    headers,
    native,
  };
}

/** Two arrivals of one message, as far as can be told without an id of the broker's. */
export function sameMessage(one: solace.Message, other: solace.Message): boolean {
  const id = one.getApplicationMessageId();
  return (
    id !== null &&
    id !== undefined &&
    id === other.getApplicationMessageId() &&
    one.getDestination()?.getName() === other.getDestination()?.getName() &&
    bytesOf(one.getBinaryAttachment()).equals(bytesOf(other.getBinaryAttachment()))
  );
}

/** The text of a text message as UTF-8, the binary attachment of any other; its XML content where it has only that. */
function bodyOf(solace: SolaceModule, native: solace.Message): Uint8Array {
  if (native.getType() === solace.MessageType.TEXT) {
    return Buffer.from(String(native.getSdtContainer()?.getValue() ?? ""));
  }
  const attachment = native.getBinaryAttachment();
  if (attachment !== null && attachment !== undefined) return unshared(bytesOf(attachment));
  const xml = native.getXmlContentDecoded();
  return xml ? Buffer.from(xml) : nothing;
}

/** Clients initialised with an old profile give a string of one character for each byte. */
function bytesOf(attachment: Uint8Array | string | null | undefined): Buffer {
  if (typeof attachment === "string") return Buffer.from(attachment, "latin1");
  if (attachment === null || attachment === undefined) return Buffer.from(nothing.buffer);
  return Buffer.isBuffer(attachment)
    ? attachment
    : Buffer.from(attachment.buffer, attachment.byteOffset, attachment.byteLength);
}

function unshared(bytes: Buffer): Buffer {
  return bytes.buffer.byteLength > bytes.byteLength * wasteful ? Buffer.from(bytes) : bytes;
}

function propertiesOf(
  solace: SolaceModule,
  native: solace.Message,
): { key: string | undefined; headers: Readonly<Record<string, string>> } {
  const map = native.getUserPropertyMap();
  if (map === null || map === undefined) return { key: undefined, headers: noHeaders };
  let key: string | undefined;
  let headers: Record<string, string> | undefined; // Most messages have no more than a key.
  for (const name of map.getKeys()) {
    const text = textOf(solace, map.getField(name));
    if (text === undefined) continue;
    if (name === keyProperty) {
      key = text;
    } else {
      headers ??= {};
      headers[name] = text;
    }
  }
  return { key, headers: headers ?? noHeaders };
}

/** Bytes as base64, a destination as its name; `undefined` for what is no value, or none that JavaScript can hold. */
function textOf(solace: SolaceModule, field: solace.SDTField): string | undefined {
  const type = solace.SDTFieldType;
  try {
    const value: unknown = field.getValue();
    switch (field.getType()) {
      case type.BYTEARRAY:
        return bytesOf(value as Uint8Array | string).toString("base64");
      case type.DESTINATION:
        return (value as solace.Destination).getName();
      case type.NULLTYPE:
      case type.UNKNOWN:
      case type.MAP:
      case type.STREAM:
      case type.SMF_MESSAGE:
        return undefined;
      default:
        return String(value);
    }
  } catch {
    return undefined; // A 64-bit integer beyond what a number can hold.
  }
}
