import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";

/** What is written at once at most, and a socket may still hold before no more is given to it. */
const largestWrite = 262_144;
const mostPending = 65_536;
const smallest = 256;

/** Large buffers for all connections together, and from which size on they are used. */
const mostSpare = 8;
const smallestPooled = 4_096;

const none = Buffer.alloc(0);

/** What all connections share: who has something to write, and the buffers to write it into. */
export class Output {
  readonly #dirty = new Set<Wire>();
  readonly #spare: Buffer[] = [];
  #lent = 0;

  add(wire: Wire): void {
    this.#dirty.add(wire);
  }

  /** Writes what this turn has brought: one write for each connection. */
  flush(): void {
    for (const wire of this.#dirty) {
      this.#dirty.delete(wire);
      wire.flush();
    }
  }

  /** A large buffer, as long as there are not too many under way. */
  take(): Buffer | undefined {
    const spare = this.#spare.pop();
    if (spare !== undefined || this.#lent >= mostSpare) return spare;
    this.#lent++;
    return Buffer.allocUnsafeSlow(largestWrite);
  }

  /** `free` = nobody reads it any more. */
  give(bytes: Buffer, free: boolean): void {
    if (bytes.length !== largestWrite) return;
    if (free && this.#spare.length < mostSpare) this.#spare.push(bytes);
    else this.#lent--;
  }
}

export interface WireEvents {
  /** So much waits that it cannot be messages alone: whoever asks for answers does not read them. */
  crowded(): void;
  /** All that was written has been taken. */
  drained(): void;
}

/** The output of one connection: everything of one turn goes into one buffer, and out in one write. */
export class Wire {
  readonly stream: Duplex;
  readonly #output: Output;
  /** Who has called back has copied: true of TCP, where the system has. */
  readonly #copies: boolean;
  readonly #crowdedFrom: number;
  readonly #events: WireEvents;
  #bytes: Buffer = none;
  #end = 0;
  #nextSize = smallest;
  #blocked = false;
  #crowded = false;

  constructor(stream: Duplex, output: Output, maxPacketSize: number, events: WireEvents) {
    this.stream = stream;
    this.#output = output;
    this.#copies = stream instanceof Socket && !(stream instanceof TLSSocket);
    this.#crowdedFrom = maxPacketSize + 4 * largestWrite;
    this.#events = events;
    stream.on("drain", () => {
      if (!this.#blocked) return;
      this.#blocked = false;
      this.#crowded = false;
      events.drained();
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
    if (this.#end === 0) this.#output.add(this);
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
    const whole = this.#bytes;
    const bytes = whole.subarray(0, this.#end);
    this.#nextSize = Math.min(largestWrite, Math.max(smallest, this.#end));
    this.#bytes = none;
    this.#end = 0;
    const { stream } = this;
    if (!stream.writable) {
      this.#output.give(whole, true);
      return;
    }
    stream.write(bytes);
    this.#blocked = stream.writableNeedDrain && stream.writableLength >= mostPending;
    this.#output.give(whole, this.#copies && stream.writableLength === 0);
    if (!this.#blocked || this.#crowded || stream.writableLength < this.#crowdedFrom) return;
    this.#crowded = true;
    this.#events.crowded();
  }

  #grow(used: number): void {
    let size = Math.max(this.#nextSize, smallest);
    while (size < this.#end) size *= 2;
    const pooled = size >= smallestPooled && size <= largestWrite;
    const larger = (pooled ? this.#output.take() : undefined) ?? Buffer.allocUnsafe(size);
    this.#bytes.copy(larger, 0, 0, used);
    this.#bytes = larger;
  }
}
