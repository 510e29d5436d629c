import { randomUUID } from "node:crypto";
import { decodeControl } from "./codec/control.ts";
import type { Settings } from "./options.ts";
import { malformed, PacketFault, protocolError, Reason } from "./reason.ts";
import type { Will } from "./session.ts";
import type { MessageProperties, Qos } from "./types.ts";

/** CONNECT, checked, with what the broker makes of it. */
export interface ConnectRequest {
  readonly version: 4 | 5;
  readonly clientId: string;
  /** The client gave none. */
  readonly assigned: boolean;
  readonly clean: boolean;
  /** In seconds; 0 = none. */
  readonly keepAlive: number;
  readonly username: string | undefined;
  readonly password: Buffer | undefined;
  readonly will: Will | undefined;
  /** In seconds, within the limit. */
  readonly expiry: number;
  /** The client asked for something else. */
  readonly expiryLimited: boolean;
  readonly window: number;
  readonly maximumPacketSize: number;
  readonly topicAliasMaximum: number;
}

const withoutEnd = 4_294_967_295;

/**
 * The protocol version that CONNECT asks for; what is neither 4 nor 5 is refused.
 * @throws {PacketFault} where it is no CONNECT at all
 */
export function versionOf(bytes: Buffer, start: number, end: number): number {
  const nameLength = end - start >= 7 ? bytes.readUInt16BE(start) : 0;
  const name = bytes.toString("latin1", start + 2, Math.min(end, start + 2 + nameLength));
  if (name === "MQIsdp") return 3;
  if (name !== "MQTT") throw malformed("The protocol is not MQTT.");
  return bytes[start + 6] as number;
}

/** @throws {PacketFault} */
export function readConnect(
  bytes: Buffer,
  start: number,
  end: number,
  version: 4 | 5,
  settings: Settings,
): ConnectRequest {
  const packet = decodeControl("connect", bytes, start, end, version);
  const { properties = {}, clean = true, keepalive = 0, username, password } = packet;
  if (properties.receiveMaximum === 0) throw protocolError("The receive maximum is 0.");
  if (properties.maximumPacketSize === 0) throw protocolError("The maximum packet size is 0.");
  if (properties.authenticationMethod !== undefined) {
    const text = `There is no authentication method "${properties.authenticationMethod}".`;
    throw new PacketFault(Reason.badAuthenticationMethod, text);
  }
  if (properties.authenticationData !== undefined) {
    throw protocolError("Authentication data without a method.");
  }
  const assigned = packet.clientId === "";
  if (assigned && version === 4 && !clean) {
    throw new PacketFault(Reason.clientIdNotValid, "A session needs a client id.");
  }
  const asked = version === 5 ? (properties.sessionExpiryInterval ?? 0) : clean ? 0 : withoutEnd;
  const expiry = Math.min(asked, settings.maxSessionExpiry);
  return {
    version,
    clientId: assigned ? randomUUID() : packet.clientId,
    assigned,
    clean,
    keepAlive: keepalive,
    username,
    password,
    will: packet.will && willOf(packet.will),
    expiry,
    expiryLimited: expiry !== asked,
    window: Math.min(properties.receiveMaximum ?? 65_535, settings.maxInflight),
    maximumPacketSize: properties.maximumPacketSize ?? Number.POSITIVE_INFINITY,
    topicAliasMaximum: Math.min(properties.topicAliasMaximum ?? 0, settings.topicAliasMaximum),
  };
}

interface ParsedWill {
  readonly topic: string;
  readonly payload: Buffer | string;
  readonly qos?: Qos;
  readonly retain?: boolean;
  readonly properties?: MessageProperties & { readonly willDelayInterval?: number };
}

function willOf(will: ParsedWill): Will {
  const { topic, payload, qos = 0, retain = false, properties = {} } = will;
  if (qos > 2) throw malformed("The QoS of the will is 3.");
  const { willDelayInterval = 0, ...rest } = properties;
  return {
    topic,
    payload: Buffer.from(payload as Buffer),
    qos,
    retain,
    properties: rest,
    delay: willDelayInterval,
  };
}
