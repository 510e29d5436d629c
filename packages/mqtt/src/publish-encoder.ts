import type { OutgoingMessage } from "@lab/core";
import { keyProperty } from "./message.ts";

const smallest = 4_096;
const userProperty = 38;

export interface PublishFlags {
  readonly protocolVersion: 4 | 5;
  readonly qos: 0 | 1;
  readonly retain: boolean;
}

/** PUBLISH packets in one buffer. mqtt-packet writes each as several. */
export class PublishEncoder {
  readonly #header: number;
  readonly #withId: boolean;
  readonly #withProperties: boolean;
  #bytes: Buffer = Buffer.alloc(0);
  #end = 0;
  #expected = smallest;

  constructor({ protocolVersion, qos, retain }: PublishFlags) {
    this.#header = 0x30 | (qos << 1) | (retain ? 1 : 0);
    this.#withId = qos > 0;
    this.#withProperties = protocolVersion === 5;
  }

  /** Bytes added since the last `take`. */
  get size(): number {
    return this.#end;
  }

  /** The message has been checked. */
  add(topic: string, message: OutgoingMessage, packetId: number): void {
    const properties = this.#withProperties ? propertiesSize(message) : 0;
    const length =
      2 +
      Buffer.byteLength(topic) +
      (this.#withId ? 2 : 0) +
      (this.#withProperties ? integerSize(properties) + properties : 0) +
      message.body.length;
    this.#makeRoom(1 + integerSize(length) + length);
    const bytes = this.#bytes;
    bytes[this.#end] = this.#header;
    let at = putText(bytes, putInteger(bytes, this.#end + 1, length), topic);
    if (this.#withId) {
      bytes[at++] = packetId >> 8;
      bytes[at++] = packetId & 255;
    }
    if (this.#withProperties) {
      at = putInteger(bytes, at, properties);
      if (properties > 0) at = putProperties(bytes, at, message);
    }
    bytes.set(message.body, at);
    this.#end = at + message.body.length;
  }

  /** What was added since the last call. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#end);
    this.#expected = Math.max(smallest, this.#end);
    this.#bytes = Buffer.alloc(0);
    this.#end = 0;
    return taken;
  }

  #makeRoom(size: number): void {
    const needed = this.#end + size;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(
      Math.max(needed, this.#end === 0 ? this.#expected : 2 * this.#end),
    );
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}

function propertiesSize({ key, headers }: OutgoingMessage): number {
  let size = 0;
  for (const name in headers) size += pairSize(name, headers[name] as string);
  if (key !== undefined) size += pairSize(keyProperty, key);
  return size;
}

function pairSize(name: string, value: string): number {
  return 5 + Buffer.byteLength(name) + Buffer.byteLength(value);
}

function putProperties(bytes: Buffer, start: number, { key, headers }: OutgoingMessage): number {
  let at = start;
  for (const name in headers) at = putPair(bytes, at, name, headers[name] as string);
  return key === undefined ? at : putPair(bytes, at, keyProperty, key);
}

function putPair(bytes: Buffer, at: number, name: string, value: string): number {
  bytes[at] = userProperty;
  return putText(bytes, putText(bytes, at + 1, name), value);
}

function putText(bytes: Buffer, at: number, text: string): number {
  const length = bytes.write(text, at + 2);
  bytes[at] = length >> 8;
  bytes[at + 1] = length & 255;
  return at + 2 + length;
}

/** Bytes of a variable byte integer. */
function integerSize(value: number): number {
  return value < 128 ? 1 : value < 16_384 ? 2 : value < 2_097_152 ? 3 : 4;
}

function putInteger(bytes: Buffer, start: number, value: number): number {
  let rest = value;
  let at = start;
  while (rest > 127) {
    bytes[at++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  bytes[at++] = rest;
  return at;
}
