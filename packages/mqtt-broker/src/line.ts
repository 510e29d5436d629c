import { identifiersSize, Property } from "./codec/properties.ts";
import { putVarint, varintSize } from "./codec/varint.ts";
import { type Message, secondsLeft } from "./message.ts";
import type { Line } from "./outbox.ts";
import { Reason } from "./reason.ts";
import type { Qos } from "./types.ts";
import type { Wire } from "./wire.ts";

const noTopic = Buffer.from([0, 0]);

/** What a client allows. */
export interface LineLimits {
  readonly version: 4 | 5;
  readonly window: number;
  readonly maximumPacketSize: number;
  readonly topicAliasMaximum: number;
}

/**
 * Encodes what is sent most: PUBLISH and acknowledgements, straight into the buffer that is written. mqtt-packet's
 * generator makes a list of small buffers for each; it does all other packets.
 */
export class ClientLine implements Line {
  readonly window: number;
  readonly #wire: Wire;
  readonly #limits: LineLimits;
  readonly #aliases = new Map<string, number>();
  /** PUBLISH packets written. */
  sent = 0;

  constructor(wire: Wire, limits: LineLimits) {
    this.#wire = wire;
    this.#limits = limits;
    this.window = limits.window;
  }

  get blocked(): boolean {
    return this.#wire.blocked;
  }

  publish(
    message: Message,
    qos: Qos,
    retain: boolean,
    identifiers: readonly number[] | undefined,
    packetId: number,
    dup: boolean,
  ): boolean {
    const { payload } = message;
    const { version, maximumPacketSize, topicAliasMaximum } = this.#limits;
    let topic = message.topic.bytes;
    let known = 0;
    let alias = 0;
    let propertiesLength = 0;
    let expiry = -1;
    if (version === 5) {
      if (topicAliasMaximum > 0) {
        known = this.#aliases.get(message.topic.name) ?? 0;
        if (known > 0) topic = noTopic;
        alias =
          known > 0 ? known : this.#aliases.size < topicAliasMaximum ? this.#aliases.size + 1 : 0;
      }
      if (message.expiresAt !== Number.POSITIVE_INFINITY) expiry = secondsLeft(message);
      propertiesLength = (message.properties?.length ?? 0) + (expiry < 0 ? 0 : 5);
      if (alias > 0) propertiesLength += 3;
      if (identifiers !== undefined) propertiesLength += identifiersSize(identifiers);
    }
    const length =
      topic.length +
      (qos > 0 ? 2 : 0) +
      (version === 5 ? varintSize(propertiesLength) + propertiesLength : 0) +
      payload.length;
    const size = 1 + varintSize(length) + length;
    if (size > maximumPacketSize) return false;
    if (alias > known) this.#aliases.set(message.topic.name, alias);

    let at = this.#wire.reserve(size);
    const bytes = this.#wire.bytes;
    bytes[at++] = 0x30 | (dup ? 8 : 0) | (qos << 1) | (retain ? 1 : 0);
    at = put(bytes, putVarint(bytes, at, length), topic);
    if (qos > 0) {
      bytes[at++] = packetId >> 8;
      bytes[at++] = packetId & 255;
    }
    if (version === 5) {
      at = putVarint(bytes, at, propertiesLength);
      if (propertiesLength > 0) at = putProperties(bytes, at, message, expiry, alias, identifiers);
    }
    put(bytes, at, payload);
    this.sent++;
    return true;
  }

  puback(packetId: number, reason: number): void {
    this.#acknowledge(0x40, packetId, reason);
  }

  pubrec(packetId: number, reason: number): void {
    this.#acknowledge(0x50, packetId, reason);
  }

  pubrel(packetId: number, reason: number = Reason.success): void {
    this.#acknowledge(0x62, packetId, reason);
  }

  pubcomp(packetId: number, reason: number): void {
    this.#acknowledge(0x70, packetId, reason);
  }

  #acknowledge(header: number, packetId: number, reason: number): void {
    const short = reason === Reason.success || this.#limits.version === 4;
    const at = this.#wire.reserve(short ? 4 : 6);
    const { bytes } = this.#wire;
    bytes[at] = header;
    bytes[at + 1] = short ? 2 : 4;
    bytes[at + 2] = packetId >> 8;
    bytes[at + 3] = packetId & 255;
    if (short) return;
    bytes[at + 4] = reason;
    bytes[at + 5] = 0; // no properties
  }
}

function putProperties(
  bytes: Buffer,
  start: number,
  { properties }: Message,
  expiry: number,
  alias: number,
  identifiers: readonly number[] | undefined,
): number {
  let at = properties === undefined ? start : put(bytes, start, properties);
  if (expiry >= 0) {
    bytes[at] = Property.messageExpiryInterval;
    at = bytes.writeUInt32BE(expiry, at + 1);
  }
  if (alias > 0) {
    bytes[at] = Property.topicAlias;
    at = bytes.writeUInt16BE(alias, at + 1);
  }
  for (const identifier of identifiers ?? []) {
    bytes[at] = Property.subscriptionIdentifier;
    at = putVarint(bytes, at + 1, identifier);
  }
  return at;
}

/** Returns the position behind it. A call into the runtime costs more than a few bytes. */
function put(bytes: Buffer, at: number, data: Uint8Array): number {
  const { length } = data;
  if (length > 48) bytes.set(data, at);
  else for (let i = 0; i < length; i++) bytes[at + i] = data[i] as number;
  return at + length;
}
