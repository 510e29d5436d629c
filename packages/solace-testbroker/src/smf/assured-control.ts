import { part, readU8, readU32, readU64, u32 } from "./bytes.ts";
import { encodeParam, taggedValue } from "./frame.ts";
import { MalformedFrame } from "./malformed.ts";
import { AssuredParam } from "./protocol.ts";

const version = 3;
const headerLength = 6;

export interface AssuredControl {
  readonly type: number;
  readonly params: readonly { readonly type: number; readonly value: Buffer }[];
}

/** Message ids that a consumer is done with, and how. */
export interface AckRange {
  readonly first: number;
  readonly last: number;
  readonly outcome: number;
}

/** @throws {MalformedFrame} */
export function decodeAssured(body: Buffer): AssuredControl {
  const header = part(body, 0, headerLength, "an AssuredCtrl header");
  if (((header[0] as number) & 0x3f) !== version) {
    throw new MalformedFrame(`AssuredCtrl version ${header[0]}`);
  }
  const params: { type: number; value: Buffer }[] = [];
  const end = header.readUInt32BE(2);
  const bytes = part(body, headerLength, end, "AssuredCtrl parameters");
  for (let offset = 0; offset < bytes.length; ) {
    if (bytes[offset] === 0) {
      offset++; // Padding.
      continue;
    }
    const param = taggedValue(bytes, offset, 0x3f);
    params.push(param);
    offset += param.bytes.length;
  }
  return { type: header[1] as number, params };
}

export function encodeAssured(type: number, params: readonly Buffer[]): Buffer {
  const all = Buffer.concat(params);
  return Buffer.concat([Buffer.from([version, type]), u32(headerLength + all.length), all]);
}

export function encodeAssuredParam(type: number, value: Buffer): Buffer {
  return encodeParam(type, value);
}

export function assuredParam(control: AssuredControl, type: number): Buffer | undefined {
  return control.params.find((param) => param.type === type)?.value;
}

/** @throws {MalformedFrame} */
export function flowIdOf(control: AssuredControl): number {
  const value = assuredParam(control, AssuredParam.flowId);
  if (value === undefined) throw new MalformedFrame("AssuredCtrl without a flow id");
  return readU32(value, "a flow id");
}

/** The window that a client asks for or grants: one byte, or four where it is wider. @throws {MalformedFrame} */
export function windowOf(control: AssuredControl): number | undefined {
  const wide = assuredParam(control, AssuredParam.transportWindow);
  if (wide !== undefined) return readU32(wide, "a window");
  const narrow = assuredParam(control, AssuredParam.window);
  return narrow === undefined ? undefined : readU8(narrow, "a window");
}

/** @throws {MalformedFrame} */
export function ackRangesOf(control: AssuredControl): AckRange[] {
  const ranges: AckRange[] = [];
  for (const { type, value } of control.params) {
    if (type !== AssuredParam.applicationAck) continue;
    ranges.push({
      first: readU64(part(value, 0, 8, "an acknowledgement"), "a message id"),
      last: readU64(part(value, 8, 16, "an acknowledgement"), "a message id"),
      outcome: value.length > 16 ? (value[16] as number) : 0,
    });
  }
  return ranges;
}
