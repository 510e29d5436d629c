import type { Duplex } from "node:stream";

/** What is written at once at most, and a socket may still hold before no more is given to it. */
const largestWrite = 262_144;
const mostPending = 65_536;
const smallest = 256;

const none = Buffer.alloc(0);

/** The output of one connection: everything of one turn goes into one buffer, and out in one write. */
export class Wire {
  readonly stream: Duplex;
  readonly #dirty: Set<Wire>;
  readonly #onDrain: () => void;
  #bytes: Buffer = none;
  #end = 0;
  #nextSize = smallest;
  #blocked = false;

  /** Adds itself to `dirty` when it is to be flushed. `onDrain` is called when it is no longer blocked. */
  constructor(stream: Duplex, dirty: Set<Wire>, onDrain: () => void) {
    this.stream = stream;
    this.#dirty = dirty;
    this.#onDrain = onDrain;
    stream.on("drain", () => {
      if (!this.#blocked) return;
      this.#blocked = false;
      this.#onDrain();
    });
  }

  /** The socket has not taken yet what was written. */
  get blocked(): boolean {
    return this.#blocked;
  }

  /** Where to write; valid after `reserve`, until the next one. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Makes room for `size` bytes, which have to be written, and returns where in `bytes`. */
  reserve(size: number): number {
    if (this.#end > 0 && this.#end + size > largestWrite) this.flush();
    if (this.#end === 0) this.#dirty.add(this);
    const at = this.#end;
    this.#end += size;
    if (this.#end > this.#bytes.length) this.#grow(at);
    return at;
  }

  write(packet: Uint8Array): void {
    const at = this.reserve(packet.length);
    this.#bytes.set(packet, at);
  }

  flush(): void {
    if (this.#end === 0) return;
    const bytes = this.#bytes.subarray(0, this.#end);
    this.#nextSize = Math.min(largestWrite, Math.max(smallest, this.#end));
    this.#bytes = none;
    this.#end = 0;
    const { stream } = this;
    if (!stream.writable) return;
    stream.write(bytes);
    this.#blocked = stream.writableNeedDrain && stream.writableLength >= mostPending;
  }

  #grow(used: number): void {
    let size = Math.max(this.#nextSize, smallest);
    while (size < this.#end) size *= 2;
    const larger = Buffer.allocUnsafe(size);
    this.#bytes.copy(larger, 0, 0, used);
    this.#bytes = larger;
  }
}
