import { isUtf8 } from "node:buffer";
import { longestText, putText } from "./codec/text.ts";
import { topicFault } from "./filters.ts";
import { malformed } from "./reason.ts";
import type { RetainedMessage } from "./retained-message.ts";
import type { Route } from "./routes.ts";
import type { Subscribers } from "./subscribers.ts";

/** How many topics that nobody subscribes to or retains stay known. */
const mostIdle = 65_536;

/** A topic, and what is known of it: found once, cached here. */
export class Topic {
  readonly name: string;
  /** With its length, as packets have it. */
  readonly bytes: Buffer;
  /** Those whose filter is this topic. */
  subscribers: Subscribers | undefined = undefined;
  retained: RetainedMessage | undefined = undefined;
  route: Route | undefined = undefined;
  /** The generation of the wildcard subscriptions that `route` was found in. */
  generation = -1;

  constructor(name: string) {
    this.name = name;
    this.bytes = Buffer.allocUnsafe(2 + Buffer.byteLength(name));
    putText(this.bytes, 0, name);
  }

  get idle(): boolean {
    return this.subscribers === undefined && this.retained === undefined;
  }
}

/** Every topic that is in use, and the latest of the others. */
export class Topics {
  readonly #byName = new Map<string, Topic>();
  readonly #maxLevels: number;
  #sweepAt = mostIdle;

  constructor(maxLevels: number) {
    this.#maxLevels = maxLevels;
  }

  find(name: string): Topic | undefined {
    return this.#byName.get(name);
  }

  /** The topic of that name, which has been checked. */
  of(name: string): Topic {
    let topic = this.#byName.get(name);
    if (topic === undefined) {
      if (this.#byName.size >= this.#sweepAt) this.#sweep();
      topic = new Topic(name);
      this.#byName.set(name, topic);
    }
    return topic;
  }

  /** Says why nothing can be published to a name that is not known yet, or `undefined` where it can. */
  faultOf(name: string): string | undefined {
    if (typeof name !== "string") return `it is ${name === null ? "null" : `a ${typeof name}`}`;
    if (Buffer.byteLength(name) > longestText) return `it has more than ${longestText} bytes`;
    return topicFault(name, this.#maxLevels);
  }

  /**
   * The name between two positions of a packet, not yet checked but for its encoding.
   * @throws {PacketFault} when it is not UTF-8
   */
  nameAt(bytes: Buffer, start: number, end: number): string {
    const name = bytes.toString("utf8", start, end);
    // U+FFFD stands for bytes that are no UTF-8, or for itself.
    if (name.includes("\ufffd") && !isUtf8(bytes.subarray(start, end))) {
      throw malformed("The topic is not UTF-8.");
    }
    return name;
  }

  /** Idle ones may be in use by a message on its way, which needs only its name. */
  #sweep(): void {
    for (const [name, topic] of this.#byName) if (topic.idle) this.#byName.delete(name);
    this.#sweepAt = this.#byName.size + mostIdle;
  }
}
