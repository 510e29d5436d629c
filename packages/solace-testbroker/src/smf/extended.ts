import { part, readText } from "./bytes.ts";
import { type Frame, paramOf } from "./frame.ts";
import { MalformedFrame } from "./malformed.ts";
import { HeaderParam } from "./protocol.ts";

/** Sizes of values by the code in the first four bits; with code 5 a byte says how long the whole entry is. */
const sizes: Readonly<Record<number, number>> = { 0: 0, 1: 1, 2: 2, 3: 4, 4: 8 };
const counted = 5;
const headerLength = 2;

/** The text of an extended parameter, or `undefined` where there is none. @throws {MalformedFrame} */
export function extendedTextOf(frame: Frame, type: number): string | undefined {
  const stream = paramOf(frame, HeaderParam.extended);
  for (let offset = 0; stream !== undefined && offset < stream.length; ) {
    const header = part(
      stream,
      offset,
      offset + headerLength,
      "an extended parameter",
    ).readUInt16BE();
    const code = header >> 12;
    const start = offset + headerLength + (code === counted ? 1 : 0);
    const size = code === counted ? (stream[start - 1] ?? 0) - headerLength - 1 : sizes[code];
    if (size === undefined) throw new MalformedFrame(`an extended parameter of size code ${code}`);
    const value = part(stream, start, start + size, "an extended parameter");
    if ((header & 0x0fff) === type) return readText(value);
    offset = start + size;
  }
  return undefined;
}
