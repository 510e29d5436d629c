import { fixedLength } from "./frame.ts";
import { MalformedFrame } from "./malformed.ts";

const version = 3;
const nothing = Buffer.alloc(0);

/** Cuts a stream of bytes into whole frames. Keeps at most one that is not whole yet. */
export class FrameSplitter {
  readonly #longest: number;
  #chunks: Buffer[] = [];
  #length = 0;
  /** Length of the frame that the kept bytes begin, once it is known. */
  #wanted = fixedLength;

  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Returns the frames that `chunk` completes. @throws {MalformedFrame} */
  push(chunk: Buffer): Buffer[] {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#wanted) return [];
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    const frames: Buffer[] = [];
    let offset = 0;
    this.#wanted = fixedLength;
    while (bytes.length - offset >= fixedLength) {
      const length = this.#lengthAt(bytes, offset);
      if (bytes.length - offset < length) {
        this.#wanted = length;
        break;
      }
      frames.push(bytes.subarray(offset, offset + length));
      offset += length;
    }
    const rest = offset === bytes.length ? nothing : bytes.subarray(offset);
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#length = rest.length;
    return frames;
  }

  #lengthAt(bytes: Buffer, offset: number): number {
    const headerLength = bytes.readUInt32BE(offset + 4);
    const length = bytes.readUInt32BE(offset + 8);
    if (((bytes[offset] as number) & 0x07) !== version) {
      throw new MalformedFrame("it is not a frame of SMF version 3");
    }
    if (headerLength < fixedLength || length < headerLength) {
      throw new MalformedFrame(`a frame of ${length} bytes says its header has ${headerLength}`);
    }
    if (length > this.#longest) {
      throw new MalformedFrame(`a frame of ${length} bytes; ${this.#longest} are allowed`);
    }
    return length;
  }
}
