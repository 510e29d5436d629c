import { malformed, protocolError } from "../reason.ts";
import { skipBinary, skipText } from "./text.ts";
import { getVarint, varintSize } from "./varint.ts";

/** Identifiers of properties. */
export const Property = {
  payloadFormatIndicator: 1,
  messageExpiryInterval: 2,
  contentType: 3,
  responseTopic: 8,
  correlationData: 9,
  subscriptionIdentifier: 11,
  sessionExpiryInterval: 17,
  authenticationMethod: 21,
  authenticationData: 22,
  requestProblemInformation: 23,
  willDelayInterval: 24,
  requestResponseInformation: 25,
  reasonString: 31,
  receiveMaximum: 33,
  topicAliasMaximum: 34,
  topicAlias: 35,
  userProperty: 38,
  maximumPacketSize: 39,
} as const;

/** The position behind the property at `at`. */
export function skipProperty(bytes: Buffer, at: number, end: number): number {
  const value = at + 1;
  switch (bytes[at]) {
    case Property.userProperty:
      return skipText(bytes, skipText(bytes, value, end), end);
    case Property.contentType:
    case Property.responseTopic:
    case Property.authenticationMethod:
    case Property.reasonString:
      return skipText(bytes, value, end);
    case Property.correlationData:
    case Property.authenticationData:
      return skipBinary(bytes, value, end);
    case Property.payloadFormatIndicator:
    case Property.requestProblemInformation:
    case Property.requestResponseInformation:
      if (value < end && (bytes[value] as number) > 1) {
        throw protocolError(`The property ${bytes[at]} is not 0 or 1.`);
      }
      return within(value + 1, end);
    case Property.receiveMaximum:
    case Property.topicAliasMaximum:
    case Property.topicAlias:
      return within(value + 2, end);
    case Property.messageExpiryInterval:
    case Property.sessionExpiryInterval:
    case Property.willDelayInterval:
    case Property.maximumPacketSize:
      return within(value + 4, end);
    case Property.subscriptionIdentifier: {
      const identifier = getVarint(bytes, value, end);
      if (identifier === 0) throw protocolError("A subscription identifier is 0.");
      return within(identifier < 0 ? end + 1 : value + varintSize(identifier), end);
    }
    default:
      throw malformed(`There is no property ${bytes[at]} here.`);
  }
}

function within(stop: number, end: number): number {
  if (stop > end) throw malformed("A property goes beyond the packet.");
  return stop;
}

/**
 * Checks the properties that begin with their length at `at`; returns the position behind them.
 * @throws {PacketFault}
 */
export function checkProperties(
  bytes: Buffer,
  at: number,
  end: number,
  allowed: readonly number[],
): number {
  const start = propertiesStart(bytes, at, end);
  const stop = propertiesEnd(bytes, at, end);
  const seen = new Set<number>();
  for (let next = start; next < stop; ) {
    const id = bytes[next] as number;
    if (!allowed.includes(id)) throw protocolError(`The property ${id} does not belong here.`);
    if (seen.has(id)) throw protocolError(`The property ${id} comes twice.`);
    if (id !== Property.userProperty) seen.add(id);
    next = skipProperty(bytes, next, stop);
  }
  return stop;
}

/** Where the properties begin whose length is at `at`. */
export function propertiesStart(bytes: Buffer, at: number, end: number): number {
  const length = getVarint(bytes, at, end);
  if (length < 0) throw malformed("The length of the properties is missing.");
  return at + varintSize(length);
}

/** Where they end. */
export function propertiesEnd(bytes: Buffer, at: number, end: number): number {
  const length = getVarint(bytes, at, end);
  return within(at + varintSize(length) + length, end);
}

/** Bytes that subscription identifiers take. */
export function identifiersSize(identifiers: readonly number[]): number {
  let size = 0;
  for (const identifier of identifiers) size += 1 + varintSize(identifier);
  return size;
}
