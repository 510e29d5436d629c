import { decodeProperties } from "./codec/publish-properties.ts";
import type { Topic } from "./topics.ts";
import type { MessageProperties, Qos, ReceivedMessage } from "./types.ts";

/** What a message costs beside its contents, so that empty ones count too. */
const overhead = 64;

/** A message on its way, or retained. Never changes, but for whose its bytes are. */
export class Message {
  readonly topic: Topic;
  readonly qos: Qos;
  readonly retain: boolean;
  /** In ms since the epoch; `Infinity` = never. */
  readonly expiresAt: number;
  #payload: Uint8Array;
  /** Encoded, as they are handed on. */
  #properties: Buffer | undefined;
  #owned: boolean;

  constructor(
    topic: Topic,
    payload: Uint8Array,
    qos: Qos,
    retain: boolean,
    properties: Buffer | undefined,
    expiresAt: number,
    owned: boolean,
  ) {
    this.topic = topic;
    this.#payload = payload;
    this.qos = qos;
    this.retain = retain;
    this.#properties = properties;
    this.expiresAt = expiresAt;
    this.#owned = owned;
  }

  get payload(): Uint8Array {
    return this.#payload;
  }

  get properties(): Buffer | undefined {
    return this.#properties;
  }

  /** Bytes, as the limits count them. */
  get size(): number {
    return (
      overhead + this.topic.bytes.length + this.#payload.length + (this.#properties?.length ?? 0)
    );
  }

  get expired(): boolean {
    return this.expiresAt !== Number.POSITIVE_INFINITY && this.expiresAt <= Date.now();
  }

  /** Makes it independent of the chunk that was read, or of the caller's array: to be called before it is kept. */
  own(): this {
    if (!this.#owned) {
      this.#payload = Buffer.from(this.#payload);
      if (this.#properties !== undefined) this.#properties = Buffer.from(this.#properties);
      this.#owned = true;
    }
    return this;
  }
}

/** A message as the application sees it. */
export class Received implements ReceivedMessage {
  readonly #message: Message;
  #properties: MessageProperties | undefined;

  constructor(message: Message) {
    this.#message = message;
  }

  get topic(): string {
    return this.#message.topic.name;
  }

  get payload(): Buffer {
    return this.#message.payload as Buffer; // It came from a socket.
  }

  get qos(): Qos {
    return this.#message.qos;
  }

  get retain(): boolean {
    return this.#message.retain;
  }

  get properties(): MessageProperties | undefined {
    const { properties, expiresAt } = this.#message;
    const expires = expiresAt !== Number.POSITIVE_INFINITY;
    if (properties === undefined && !expires) return undefined;
    this.#properties ??= {
      ...(properties && decodeProperties(properties)),
      ...(expires && { messageExpiryInterval: secondsLeft(this.#message) }),
    };
    return this.#properties;
  }
}

/** Seconds until a message expires, as PUBLISH tells it on. */
export function secondsLeft(message: Message): number {
  return Math.max(0, Math.ceil((message.expiresAt - Date.now()) / 1_000));
}
