import { Message } from "./message.ts";
import type { Topic } from "./topics.ts";
import type { Qos } from "./types.ts";

/** Room is made in steps, in bytes, so that values of about one length fit in turn. */
const step = 32;

/**
 * The message that a topic retains. It has bytes of its own, written anew for each message: kept messages that are
 * replaced all the time would fill the old part of the heap.
 */
export class RetainedMessage {
  #bytes: Buffer = Buffer.alloc(0);
  #payloadLength = 0;
  #length = 0;
  #qos: Qos = 0;
  #expiresAt = 0;
  /** As the limits count it. */
  size = 0;

  set({ payload, properties, qos, expiresAt, size }: Message): void {
    this.#payloadLength = payload.length;
    this.#length = payload.length + (properties?.length ?? 0);
    const room = this.#bytes.length;
    if (room < this.#length || room > 2 * this.#length + step) {
      this.#bytes = Buffer.allocUnsafe(Math.ceil(this.#length / step) * step);
    }
    this.#bytes.set(payload, 0);
    if (properties !== undefined) this.#bytes.set(properties, payload.length);
    this.#qos = qos;
    this.#expiresAt = expiresAt;
    this.size = size;
  }

  get expired(): boolean {
    return this.#expiresAt <= Date.now();
  }

  /** A message as it was published, with bytes of its own. */
  of(topic: Topic): Message {
    const bytes = Buffer.from(this.#bytes.subarray(0, this.#length));
    const payload = bytes.subarray(0, this.#payloadLength);
    const properties =
      this.#length > this.#payloadLength ? bytes.subarray(this.#payloadLength) : undefined;
    return new Message(topic, payload, this.#qos, true, properties, this.#expiresAt, true);
  }
}
