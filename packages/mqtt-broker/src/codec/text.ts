import { isUtf8 } from "node:buffer";
import { malformed } from "../reason.ts";

/** The longest text or binary data that a two byte length can announce. */
export const longestText = 65_535;

/**
 * The end of the text at `at`, its two byte length included.
 * @throws {PacketFault} when it goes beyond `end`, is no UTF-8, or contains U+0000
 */
export function skipText(bytes: Buffer, at: number, end: number): number {
  const start = at + 2;
  const stop = skipBinary(bytes, at, end);
  for (let i = start; i < stop; i++) {
    const byte = bytes[i] as number;
    if (byte === 0) throw malformed("A text contains U+0000.");
    if (byte > 127) {
      const text = bytes.subarray(start, stop);
      if (!isUtf8(text)) throw malformed("A text is not UTF-8.");
      if (text.includes(0)) throw malformed("A text contains U+0000.");
      return stop;
    }
  }
  return stop;
}

/** @throws {PacketFault} when it goes beyond `end` */
export function skipBinary(bytes: Buffer, at: number, end: number): number {
  const stop =
    at + 2 <= end ? at + 2 + (((bytes[at] as number) << 8) | (bytes[at + 1] as number)) : -1;
  if (stop < 0 || stop > end) throw malformed("A length goes beyond the packet.");
  return stop;
}

/** Returns the position behind the text and its length. */
export function putText(bytes: Buffer, at: number, text: string): number {
  const length = bytes.write(text, at + 2);
  bytes[at] = length >> 8;
  bytes[at + 1] = length & 255;
  return at + 2 + length;
}

export function putBinary(bytes: Buffer, at: number, data: Uint8Array): number {
  bytes[at] = data.length >> 8;
  bytes[at + 1] = data.length & 255;
  bytes.set(data, at + 2);
  return at + 2 + data.length;
}
