import mqttPacket, { type Packet } from "mqtt-packet";
import { malformed, PacketFault } from "../reason.ts";
import { checkProperties, Property } from "./properties.ts";
import { skipBinary, skipText } from "./text.ts";
import { varintSize } from "./varint.ts";

export type ControlPacket<Command extends Packet["cmd"]> = Extract<Packet, { cmd: Command }>;

/**
 * Decodes a packet that is not sent often, with mqtt-packet; what that lets pass is checked first: text that is not
 * UTF-8, properties in the wrong place or twice, bytes behind the end.
 * @throws {PacketFault}
 */
export function decodeControl<
  Command extends "connect" | "subscribe" | "unsubscribe" | "disconnect",
>(
  command: Command,
  bytes: Buffer,
  start: number,
  end: number,
  version: 4 | 5,
): ControlPacket<Command> {
  const behind = checks[command](bytes, start, end, version);
  if (behind !== end) throw malformed(`Something follows what belongs to ${command}.`);
  const length = end - start;
  const parser = mqttPacket.parser({ protocolVersion: version });
  let found: Packet | undefined;
  let fault: Error | undefined;
  parser.on("packet", (packet) => {
    found = packet;
  });
  parser.on("error", (error) => {
    fault = error;
  });
  try {
    parser.parse(bytes.subarray(start - 1 - varintSize(length), end));
  } catch (error) {
    fault = error as Error;
  }
  if (fault !== undefined) throw fault instanceof PacketFault ? fault : malformed(fault.message);
  if (found?.cmd !== command) throw malformed(`Expected ${command}.`);
  return found as ControlPacket<Command>;
}

/** Encodes a packet with mqtt-packet. */
export function encodeControl(packet: Packet, version: 4 | 5): Buffer {
  return mqttPacket.generate(packet, { protocolVersion: version });
}

type Check = (bytes: Buffer, start: number, end: number, version: 4 | 5) => number;

const checks: Readonly<Record<"connect" | "subscribe" | "unsubscribe" | "disconnect", Check>> = {
  connect(bytes, start, end, version) {
    const flagsAt = skipText(bytes, start, end) + 1;
    const flags = bytes[flagsAt] ?? 0;
    let at = flagsAt + 3;
    if (at > end) throw malformed("CONNECT is too short.");
    if (version === 5) at = checkProperties(bytes, at, end, ofConnect);
    at = skipText(bytes, at, end);
    if ((flags & 0x04) !== 0) {
      if (version === 5) at = checkProperties(bytes, at, end, ofWill);
      at = skipBinary(bytes, skipText(bytes, at, end), end);
    }
    if ((flags & 0x80) !== 0) at = skipText(bytes, at, end);
    if ((flags & 0x40) !== 0) {
      if (version === 4 && (flags & 0x80) === 0) throw malformed("A password without a user name.");
      at = skipBinary(bytes, at, end);
    }
    return at;
  },
  subscribe(bytes, start, end, version) {
    let at = afterPacketId(bytes, start, end);
    if (version === 5) at = checkProperties(bytes, at, end, ofSubscribe);
    if (at === end) throw malformed("SUBSCRIBE without a filter.");
    while (at < end) at = skipText(bytes, at, end) + 1;
    return at;
  },
  unsubscribe(bytes, start, end, version) {
    let at = afterPacketId(bytes, start, end);
    if (version === 5) at = checkProperties(bytes, at, end, [Property.userProperty]);
    if (at === end) throw malformed("UNSUBSCRIBE without a filter.");
    while (at < end) at = skipText(bytes, at, end);
    return at;
  },
  disconnect(bytes, start, end, version) {
    if (version === 4 || end - start < 2) return Math.min(end, version === 4 ? start : start + 1);
    return checkProperties(bytes, start + 1, end, ofDisconnect);
  },
};

/**
 * The position behind the packet id at `start`.
 * @throws {PacketFault}
 */
export function afterPacketId(bytes: Buffer, start: number, end: number): number {
  if (start + 2 > end) throw malformed("The packet id is missing.");
  if (bytes[start] === 0 && bytes[start + 1] === 0) throw malformed("The packet id is 0.");
  return start + 2;
}

const ofConnect: readonly number[] = [
  Property.sessionExpiryInterval,
  Property.receiveMaximum,
  Property.maximumPacketSize,
  Property.topicAliasMaximum,
  Property.requestResponseInformation,
  Property.requestProblemInformation,
  Property.userProperty,
  Property.authenticationMethod,
  Property.authenticationData,
];

const ofWill: readonly number[] = [
  Property.willDelayInterval,
  Property.payloadFormatIndicator,
  Property.messageExpiryInterval,
  Property.contentType,
  Property.responseTopic,
  Property.correlationData,
  Property.userProperty,
];

const ofSubscribe: readonly number[] = [Property.subscriptionIdentifier, Property.userProperty];

const ofDisconnect: readonly number[] = [
  Property.sessionExpiryInterval,
  Property.reasonString,
  Property.userProperty,
];
