import { afterPacketId } from "./codec/control.ts";
import { checkProperties, Property, propertiesEnd, propertiesStart } from "./codec/properties.ts";
import { type ScannedProperties, scanProperties } from "./codec/publish-properties.ts";
import { skipBinary } from "./codec/text.ts";
import type { Hub } from "./hub.ts";
import { Message, Received } from "./message.ts";
import { malformed, PacketFault, protocolError, Reason } from "./reason.ts";
import type { Session } from "./session.ts";
import type { ClientInfo, Qos, ReceivedMessage } from "./types.ts";

/** Reused for every message: they are read in one turn each. */
const scanned: ScannedProperties = { topicAlias: 0, messageExpiryInterval: -1, rest: undefined };

/** What one client publishes. */
export class Inbound {
  readonly #hub: Hub;
  readonly #session: Session;
  readonly #client: ClientInfo;
  /** Names by alias, of this connection. */
  readonly #aliases = new Map<number, string>();
  #batch: ReceivedMessage[] = [];

  constructor(hub: Hub, session: Session, client: ClientInfo) {
    this.#hub = hub;
    this.#session = session;
    this.#client = client;
  }

  /** What has come since the last call, for `onMessages`. */
  takeBatch(): readonly ReceivedMessage[] {
    const batch = this.#batch;
    if (batch.length > 0) this.#batch = [];
    return batch;
  }

  /**
   * Publishes what a PUBLISH carries. Returns the packet id (0 at QoS 0) and the reason to acknowledge it with, packed
   * by {@link acknowledgement}.
   * @throws {PacketFault}
   */
  publish(bytes: Buffer, header: number, start: number, end: number): number {
    const hub = this.#hub;
    const qos = ((header >> 1) & 3) as Qos;
    if (qos > 2) throw malformed("A PUBLISH has QoS 3.");
    if (qos === 0 && (header & 8) !== 0) throw malformed("A PUBLISH of QoS 0 has DUP.");
    hub.received++;
    const topicEnd = skipBinary(bytes, start, end);
    let at = topicEnd;
    let packetId = 0;
    if (qos > 0) {
      at = afterPacketId(bytes, at, end);
      packetId = ((bytes[at - 2] as number) << 8) | (bytes[at - 1] as number);
    }
    scanned.topicAlias = 0;
    scanned.messageExpiryInterval = -1;
    scanned.rest = undefined;
    if (this.#client.protocolVersion === 5) {
      const propertiesAt = propertiesStart(bytes, at, end);
      at = propertiesEnd(bytes, at, end);
      if (at > propertiesAt) scanProperties(bytes, propertiesAt, at, scanned);
    }
    const name = this.#nameOf(bytes, start + 2, topicEnd, scanned.topicAlias);
    if (qos === 2 && this.#session.received.has(packetId)) return acknowledgement(packetId, 0); // again

    let topic = hub.topics.find(name);
    if (topic === undefined) {
      if (this.#isRefused(name)) return this.#refused(packetId, Reason.topicNameInvalid);
      topic = hub.topics.of(name);
    }
    if (hub.settings.authorizePublish !== undefined && !hub.allows(this.#client, name)) {
      return this.#refused(packetId, Reason.notAuthorized);
    }
    const { rest, messageExpiryInterval: expiry } = scanned;
    const expiresAt = expiry < 0 ? Number.POSITIVE_INFINITY : Date.now() + expiry * 1_000;
    const retain = (header & 1) !== 0;
    const message = new Message(
      topic,
      bytes.subarray(at, end),
      qos,
      retain,
      rest,
      expiresAt,
      false,
    );
    const published = hub.publish(message, this.#session);
    if (published === Reason.quotaExceeded) return this.#refused(packetId, published);
    if (hub.settings.onMessages !== undefined) this.#batch.push(new Received(message));
    if (qos === 2) this.#session.received.add(packetId);
    return acknowledgement(packetId, published);
  }

  /** The topic of a packet, by name or by alias. */
  #nameOf(bytes: Buffer, start: number, end: number, alias: number): string {
    const { topics, settings } = this.#hub;
    if (alias > settings.topicAliasMaximum)
      throw aliasInvalid(`is above ${settings.topicAliasMaximum}`);
    if (end === start) {
      if (alias === 0) throw protocolError("A PUBLISH has neither a topic nor an alias.");
      const known = this.#aliases.get(alias);
      if (known === undefined) throw aliasInvalid("stands for nothing");
      return known;
    }
    const name = topics.nameAt(bytes, start, end);
    if (alias > 0) this.#aliases.set(alias, name);
    return name;
  }

  /** @throws {PacketFault} where it is no topic at all */
  #isRefused(name: string): boolean {
    const fault = this.#hub.topics.faultOf(name);
    if (fault !== undefined && /[+#\0]/.test(name)) {
      throw new PacketFault(Reason.topicNameInvalid, `A topic: ${fault}.`);
    }
    return fault !== undefined;
  }

  /** Only MQTT 5 can tell, and not at QoS 0. */
  #refused(packetId: number, reason: number): number {
    if (this.#client.protocolVersion === 4 || packetId === 0) {
      this.#hub.dropped(this.#client.clientId, "refused");
    }
    return acknowledgement(packetId, reason);
  }
}

/** Packet id and reason code in one number. */
export function acknowledgement(packetId: number, reason: number): number {
  return packetId | (reason << 16);
}

function aliasInvalid(why: string): PacketFault {
  return new PacketFault(Reason.topicAliasInvalid, `A topic alias ${why}.`);
}

/** PUBACK, PUBREC, PUBREL or PUBCOMP, checked: packet id and reason. */
export function readAcknowledgement(
  bytes: Buffer,
  start: number,
  end: number,
  version: 4 | 5,
): number {
  const at = afterPacketId(bytes, start, end);
  const packetId = ((bytes[start] as number) << 8) | (bytes[start + 1] as number);
  if (at === end) return packetId;
  if (version === 4) throw malformed("An acknowledgement is too long.");
  const behind = at + 1 < end ? checkProperties(bytes, at + 1, end, ofAcknowledgement) : at + 1;
  if (behind !== end) throw malformed("An acknowledgement is too long.");
  return acknowledgement(packetId, bytes[at] as number);
}

const ofAcknowledgement: readonly number[] = [Property.reasonString, Property.userProperty];
