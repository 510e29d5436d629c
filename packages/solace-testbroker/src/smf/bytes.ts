import { MalformedFrame } from "./malformed.ts";

const word = 2 ** 32;

export function u8(value: number): Buffer {
  return Buffer.from([value]);
}

export function u32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function u64(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  writeU64(bytes, value, 0);
  return bytes;
}

/** Ids are counted in numbers: 2^53 of them are enough here. */
export function writeU64(bytes: Buffer, value: number, offset: number): void {
  bytes.writeUInt32BE(Math.floor(value / word), offset);
  bytes.writeUInt32BE(value % word, offset + 4);
}

/** Text that ends with a zero byte. */
export function zeroTerminated(text: string): Buffer {
  return Buffer.from(`${text}\0`);
}

/** @throws {MalformedFrame} */
export function readU8(bytes: Buffer, what: string): number {
  return exactly(bytes, 1, what).readUInt8();
}

/** @throws {MalformedFrame} */
export function readU32(bytes: Buffer, what: string): number {
  return exactly(bytes, 4, what).readUInt32BE();
}

/** @throws {MalformedFrame} */
export function readU64(bytes: Buffer, what: string): number {
  const value = exactly(bytes, 8, what).readUInt32BE() * word + bytes.readUInt32BE(4);
  if (!Number.isSafeInteger(value)) throw new MalformedFrame(`${what} is above 2^53`);
  return value;
}

export function readText(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString("utf8", 0, end < 0 ? bytes.length : end);
}

/** The part of `bytes` from `start` to `end`. @throws {MalformedFrame} where it is not all there */
export function part(bytes: Buffer, start: number, end: number, what: string): Buffer {
  if (start < 0 || end < start || end > bytes.length) {
    throw new MalformedFrame(`${what} reaches from ${start} to ${end} in ${bytes.length} bytes`);
  }
  return bytes.subarray(start, end);
}

function exactly(bytes: Buffer, length: number, what: string): Buffer {
  if (bytes.length === length) return bytes;
  throw new MalformedFrame(`${what} has ${bytes.length} bytes instead of ${length}`);
}
