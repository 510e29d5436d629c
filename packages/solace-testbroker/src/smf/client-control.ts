import { part, u32 } from "./bytes.ts";
import { MalformedFrame } from "./malformed.ts";

const version = 1;
const headerLength = 6;
const paramHeaderLength = 5;

export interface ClientControl {
  /** 0 = login, 1 = update. */
  readonly type: number;
  readonly params: ReadonlyMap<number, Buffer>;
}

/** @throws {MalformedFrame} */
export function decodeClientControl(body: Buffer): ClientControl {
  const header = part(body, 0, headerLength, "a ClientCtrl header");
  const bytes = part(body, headerLength, header.readUInt32BE(2), "ClientCtrl parameters");
  const params = new Map<number, Buffer>();
  for (let offset = 0; offset < bytes.length; ) {
    const start = offset + paramHeaderLength;
    const length = part(bytes, offset, start, "a ClientCtrl parameter").readUInt32BE(1);
    if (length < paramHeaderLength) throw new MalformedFrame("a ClientCtrl parameter without end");
    const value = part(bytes, start, offset + length, "a ClientCtrl parameter");
    params.set((bytes[offset] as number) & 0x7f, value);
    offset += length;
  }
  return { type: header[1] as number, params };
}

export function encodeClientControl(type: number, params: readonly Buffer[]): Buffer {
  const all = Buffer.concat(params);
  return Buffer.concat([Buffer.from([version, type]), u32(headerLength + all.length), all]);
}

/** The form of login parameters, and of capabilities. */
export function encodeClientParam(type: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([type]), u32(paramHeaderLength + value.length), value]);
}
