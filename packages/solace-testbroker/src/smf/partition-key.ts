import { part, readText } from "./bytes.ts";
import { type Frame, paramOf } from "./frame.ts";
import { ContentPart, HeaderParam } from "./protocol.ts";

/** The user property that names a message's partition. */
const property = "JMSXGroupID";

const SdtType = { text: 7, map: 10, stream: 11 } as const;

/** The partition key of a published message, or `undefined` where it carries none. @throws {MalformedFrame} */
export function partitionKeyOf(frame: Frame): string | undefined {
  const metadata = binaryMetadataOf(frame);
  if (metadata === undefined) return undefined;
  // Blocks: their count, then type (1 byte) and length (3 bytes) of each, then the blocks.
  const count = part(metadata, 0, 1, "binary metadata")[0] as number;
  const stream = sdtAt(metadata, 1 + 4 * count);
  if (stream.type !== SdtType.stream) return undefined;
  const map = entries(stream.value).find(({ type }) => type === SdtType.map);
  const properties = map && field(map.value, "p");
  if (properties?.type !== SdtType.map) return undefined;
  const key = field(properties.value, property);
  return key?.type === SdtType.text ? readText(key.value) : undefined;
}

/** The content summary lists the parts of the body: type and length of the entry in 4 bits each, then the part's length. */
function binaryMetadataOf(frame: Frame): Buffer | undefined {
  const summary = paramOf(frame, HeaderParam.contentSummary);
  if (summary === undefined) return undefined;
  let start = 0;
  for (let offset = 0; offset < summary.length; ) {
    const entryLength = (summary[offset] as number) & 0x0f || 1;
    const entry = part(summary, offset, offset + entryLength, "a content summary");
    const length = unsigned(entry.subarray(1));
    if (entry[0] !== undefined && entry[0] >> 4 === ContentPart.binaryMetadata) {
      return part(frame.body, start, start + length, "binary metadata");
    }
    start += length;
    offset += entryLength;
  }
  return undefined;
}

interface Sdt {
  readonly type: number;
  readonly value: Buffer;
  readonly end: number;
}

/** One structured value: type (6 bits) and size of its length (2 bits), the length of all of it, the value. */
function sdtAt(bytes: Buffer, offset: number): Sdt {
  const tag = part(bytes, offset, offset + 1, "structured data")[0] as number;
  const start = offset + 2 + (tag & 0x03);
  const length = unsigned(part(bytes, offset + 1, start, "structured data"));
  const end = offset + length;
  return { type: tag >> 2, value: part(bytes, start, end, "structured data"), end };
}

function entries(container: Buffer): Sdt[] {
  const found: Sdt[] = [];
  for (let offset = 0; offset < container.length; ) {
    const entry = sdtAt(container, offset);
    found.push(entry);
    offset = entry.end;
  }
  return found;
}

/** A map is name, value, name, value … */
function field(map: Buffer, name: string): Sdt | undefined {
  const all = entries(map);
  const at = all.findIndex(({ value }, index) => index % 2 === 0 && readText(value) === name);
  return at < 0 ? undefined : all[at + 1];
}

function unsigned(bytes: Buffer): number {
  return bytes.length === 0 ? 0 : bytes.readUIntBE(0, Math.min(bytes.length, 6));
}
