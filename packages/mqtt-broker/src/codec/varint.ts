import { malformed } from "../reason.ts";

/** The largest variable byte integer: four bytes of seven bits. */
export const largestVarint = 268_435_455;

export function varintSize(value: number): number {
  return value < 128 ? 1 : value < 16_384 ? 2 : value < 2_097_152 ? 3 : 4;
}

/** Returns the position behind it. */
export function putVarint(bytes: Buffer, at: number, value: number): number {
  let rest = value;
  let end = at;
  while (rest > 127) {
    bytes[end++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  bytes[end++] = rest;
  return end;
}

/**
 * The variable byte integer at `at`; -1 where it goes on behind `end`. It takes `varintSize` bytes, since MQTT allows
 * the shortest form only.
 * @throws {PacketFault} when it is longer than four bytes or than it has to be
 */
export function getVarint(bytes: Buffer, at: number, end: number): number {
  let value = 0;
  for (let size = 0; size < 4; size++) {
    if (at + size >= end) return -1;
    const byte = bytes[at + size] as number;
    value |= (byte & 127) << (7 * size);
    if (byte < 128) {
      if (size > 0 && byte === 0) throw malformed("A variable byte integer is padded.");
      return value;
    }
  }
  throw malformed("A variable byte integer has more than four bytes.");
}
