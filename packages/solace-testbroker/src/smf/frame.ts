import { part, u32 } from "./bytes.ts";
import { MalformedFrame } from "./malformed.ts";
import { HeaderParam, ShortParam } from "./protocol.ts";

/** What every frame begins with: flags and protocol, then the lengths of header and frame. */
export const fixedLength = 12;

const version = 3;
/** A parameter of a reply that nobody has to understand. */
const optional = 0;

export interface FrameParam {
  readonly type: number;
  readonly short: boolean;
  readonly value: Buffer;
  /** With its header, as it was received. */
  readonly bytes: Buffer;
}

export interface Frame {
  readonly flags: number;
  readonly protocol: number;
  /** Third byte: priority. */
  readonly priority: number;
  readonly correlationTag: Buffer | undefined;
  readonly params: readonly FrameParam[];
  readonly body: Buffer;
}

/** Decodes one whole frame. It refers to `bytes`. @throws {MalformedFrame} */
export function decodeFrame(bytes: Buffer): Frame {
  const headerLength = bytes.readUInt32BE(4);
  const header = part(bytes, fixedLength, headerLength, "the header");
  const params: FrameParam[] = [];
  let correlationTag: Buffer | undefined;
  for (let offset = 0; offset < header.length; ) {
    const first = header[offset] as number;
    if (first === 0) {
      offset++; // Padding.
      continue;
    }
    const param = (first & 0x20) !== 0 ? shortParam(header, offset) : longParam(header, offset);
    if (param.short && param.type === ShortParam.correlationTag) correlationTag = param.bytes;
    params.push(param);
    offset += param.bytes.length;
  }
  return {
    flags: (bytes[0] as number) & ~0x07,
    protocol: (bytes[1] as number) & 0x3f,
    priority: bytes[2] as number,
    correlationTag,
    params,
    body: bytes.subarray(headerLength),
  };
}

export function paramOf({ params }: Frame, type: number): Buffer | undefined {
  return params.find((param) => !param.short && param.type === type)?.value;
}

export interface EncodeOptions {
  readonly flags?: number;
  readonly priority?: number;
  readonly timeToLive?: number;
}

export function encodeFrame(
  protocol: number,
  params: readonly Buffer[],
  body: Buffer,
  { flags = 0, priority = 0, timeToLive = 1 }: EncodeOptions = {},
): Buffer {
  let headerLength = fixedLength;
  for (const param of params) headerLength += param.length;
  const frame = Buffer.allocUnsafe(headerLength + body.length);
  frame[0] = version | flags;
  frame[1] = protocol;
  frame[2] = priority;
  frame[3] = timeToLive;
  frame.writeUInt32BE(headerLength, 4);
  frame.writeUInt32BE(frame.length, 8);
  let offset = fixedLength;
  for (const param of params) offset += param.copy(frame, offset);
  body.copy(frame, offset);
  return frame;
}

/** `unknown` says what a receiver does that does not know it: 0 ignores it, 2 refuses the message. */
export function encodeParam(type: number, value: Buffer, unknown: number = optional): Buffer {
  const first = (unknown << 6) | type;
  const length = value.length + 2;
  if (length < 256) return Buffer.concat([Buffer.from([first, length]), value]);
  return Buffer.concat([Buffer.from([first, 0]), u32(value.length + 6), value]);
}

export function encodeResponse(code: number, text: string): Buffer {
  return encodeParam(HeaderParam.response, Buffer.concat([u32(code), Buffer.from(text)]));
}

function shortParam(header: Buffer, offset: number): FrameParam {
  const first = header[offset] as number;
  const bytes = part(header, offset, offset + 1 + (first & 0x03), "a short parameter");
  return { type: (first >> 2) & 0x07, short: true, value: bytes.subarray(1), bytes };
}

function longParam(header: Buffer, offset: number): FrameParam {
  const { type, value, bytes } = taggedValue(header, offset, 0x1f);
  return { type, short: false, value, bytes };
}

/**
 * A parameter of the form that SMF headers and AssuredCtrl share: type, one byte of total length; or 0 and four bytes.
 * @throws {MalformedFrame}
 */
export function taggedValue(
  bytes: Buffer,
  offset: number,
  typeMask: number,
): { readonly type: number; readonly value: Buffer; readonly bytes: Buffer } {
  const type = (bytes[offset] as number) & typeMask;
  let start = offset + 2;
  let length = part(bytes, offset, start, "a parameter")[1] as number;
  if (length === 0) {
    start += 4;
    length = part(bytes, offset, start, "a parameter").readUInt32BE(2);
  }
  if (offset + length < start) throw new MalformedFrame("a parameter is shorter than its header");
  const whole = part(bytes, offset, offset + length, "a parameter");
  return { type, value: whole.subarray(start - offset), bytes: whole };
}
