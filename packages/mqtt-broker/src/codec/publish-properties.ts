import { malformed, PacketFault, protocolError, Reason } from "../reason.ts";
import type { MessageProperties } from "../types.ts";
import { Property, skipProperty } from "./properties.ts";
import { putBinary, putText, skipText } from "./text.ts";

/** What a broker acts upon; all other properties it hands on as they are, so that their order stays. */
export interface ScannedProperties {
  /** 0 = none. */
  topicAlias: number;
  /** In seconds; -1 = none. */
  messageExpiryInterval: number;
  /** The properties to hand on, encoded; `undefined` = none. A part of what was scanned where that is possible. */
  rest: Buffer | undefined;
}

/**
 * Checks the properties of a PUBLISH from a client: each as the standard has it, none twice.
 * @throws {PacketFault}
 */
export function scanProperties(
  bytes: Buffer,
  start: number,
  end: number,
  into: ScannedProperties,
): void {
  into.topicAlias = 0;
  into.messageExpiryInterval = -1;
  into.rest = undefined;
  let seen = 0;
  let cut: number[] | undefined;
  for (let at = start; at < end; ) {
    const id = bytes[at] as number;
    if (!allowed.has(id)) throw malformed(`A client may not send the property ${id} in PUBLISH.`);
    if (id !== Property.userProperty) {
      const bit = id === Property.topicAlias ? 1 : 1 << id; // The others are 1 to 9.
      if ((seen & bit) !== 0) throw protocolError(`The property ${id} comes twice.`);
      seen |= bit;
    }
    const next = skipProperty(bytes, at, end);
    if (id === Property.topicAlias || id === Property.messageExpiryInterval) {
      if (id === Property.topicAlias) into.topicAlias = bytes.readUInt16BE(at + 1);
      else into.messageExpiryInterval = bytes.readUInt32BE(at + 1);
      if (id === Property.topicAlias && into.topicAlias === 0) throw aliasZero();
      cut ??= [];
      cut.push(at, next);
    }
    at = next;
  }
  into.rest = without(bytes, start, end, cut);
}

const allowed: ReadonlySet<number> = new Set([
  Property.payloadFormatIndicator,
  Property.messageExpiryInterval,
  Property.contentType,
  Property.responseTopic,
  Property.correlationData,
  Property.topicAlias,
  Property.userProperty,
]);

function aliasZero(): PacketFault {
  return new PacketFault(Reason.topicAliasInvalid, "A topic alias is 0.");
}

/** The properties but for those from each even to each odd position of `cut`. */
function without(
  bytes: Buffer,
  start: number,
  end: number,
  cut: number[] | undefined,
): Buffer | undefined {
  if (cut === undefined) return start === end ? undefined : bytes.subarray(start, end);
  const parts: Buffer[] = [];
  let from = start;
  for (let i = 0; i < cut.length; i += 2) {
    if ((cut[i] as number) > from) parts.push(bytes.subarray(from, cut[i]));
    from = cut[i + 1] as number;
  }
  if (from < end) parts.push(bytes.subarray(from, end));
  if (parts.length === 0) return undefined;
  return parts.length === 1 ? parts[0] : Buffer.concat(parts);
}

/** Encodes what is handed on: all but the expiry interval. The values have been checked. */
export function encodeProperties(properties: MessageProperties): Buffer | undefined {
  const { contentType, responseTopic, correlationData, userProperties } = properties;
  let size = 0;
  const textSize = (text: string): number => 2 + Buffer.byteLength(text);
  if (properties.payloadFormatIndicator !== undefined) size += 2;
  if (contentType !== undefined) size += 1 + textSize(contentType);
  if (responseTopic !== undefined) size += 1 + textSize(responseTopic);
  if (correlationData !== undefined) size += 3 + correlationData.length;
  for (const name in userProperties) {
    for (const value of valuesOf(userProperties[name]))
      size += 1 + textSize(name) + textSize(value);
  }
  if (size === 0) return undefined;

  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  if (properties.payloadFormatIndicator !== undefined) {
    bytes[at++] = Property.payloadFormatIndicator;
    bytes[at++] = properties.payloadFormatIndicator ? 1 : 0;
  }
  if (contentType !== undefined) {
    bytes[at++] = Property.contentType;
    at = putText(bytes, at, contentType);
  }
  if (responseTopic !== undefined) {
    bytes[at++] = Property.responseTopic;
    at = putText(bytes, at, responseTopic);
  }
  if (correlationData !== undefined) {
    bytes[at++] = Property.correlationData;
    at = putBinary(bytes, at, correlationData);
  }
  for (const name in userProperties) {
    for (const value of valuesOf(userProperties[name])) {
      bytes[at++] = Property.userProperty;
      at = putText(bytes, putText(bytes, at, name), value);
    }
  }
  return bytes;
}

function valuesOf(value: string | readonly string[] | undefined): readonly string[] {
  return typeof value === "string" ? [value] : (value ?? []);
}

/** Decodes properties that `scanProperties` has let pass. */
export function decodeProperties(bytes: Buffer): MessageProperties {
  const properties: { -readonly [Name in keyof MessageProperties]: MessageProperties[Name] } = {};
  const user: Record<string, string | string[]> = Object.create(null);
  for (let at = 0; at < bytes.length; ) {
    const id = bytes[at];
    const next = skipProperty(bytes, at, bytes.length);
    if (id === Property.payloadFormatIndicator) {
      properties.payloadFormatIndicator = bytes[at + 1] === 1;
    } else if (id === Property.contentType) {
      properties.contentType = bytes.toString("utf8", at + 3, next);
    } else if (id === Property.responseTopic) {
      properties.responseTopic = bytes.toString("utf8", at + 3, next);
    } else if (id === Property.correlationData) {
      properties.correlationData = bytes.subarray(at + 3, next);
    } else {
      const name = skipText(bytes, at + 1, bytes.length);
      add(user, bytes.toString("utf8", at + 3, name), bytes.toString("utf8", name + 2, next));
      properties.userProperties = user;
    }
    at = next;
  }
  return properties;
}

function add(user: Record<string, string | string[]>, name: string, value: string): void {
  const before = user[name];
  if (before === undefined) user[name] = value;
  else user[name] = typeof before === "string" ? [before, value] : [...before, value];
}
