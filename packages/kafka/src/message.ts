import type { Message } from "@lab/core";
import type { FetchedRecord, HeaderValue } from "./client.ts";

/**
 * The body of a tombstone: a record whose value is null, which in a compacted topic deletes its key. It is empty, and
 * told apart from an empty value by identity: `message.body === tombstone`. Published as a body it becomes null again.
 */
export const tombstone: Uint8Array = new Uint8Array(0);

/** A message of Kafka: what every message has, and where it comes from. */
export interface KafkaMessage extends Message {
  readonly partition: number;
  /** Decimal, as it may be above 2^53. */
  readonly offset: string;
  /** Milliseconds since 1970: when it was produced, or appended if the topic is set to that. */
  readonly timestamp: number;
}

const noHeaders: Readonly<Record<string, string>> = Object.freeze({});

class ReceivedMessage implements KafkaMessage {
  readonly body: Uint8Array;
  readonly key: string | undefined;
  readonly destination: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly partition: number;
  readonly #record: FetchedRecord;

  constructor(topic: string, partition: number, record: FetchedRecord) {
    this.body = record.value ?? tombstone;
    this.key = record.key === null ? undefined : textOf(record.key);
    this.destination = topic;
    this.headers = headersOf(record.headers);
    this.partition = partition;
    this.#record = record;
  }

  get offset(): string {
    return this.#record.offset;
  }

  get timestamp(): number {
    return Number(this.#record.timestamp);
  }
}

/** A message as it arrived. Keys and header values are text, in UTF-8. */
export function messageOf(topic: string, partition: number, record: FetchedRecord): KafkaMessage {
  return new ReceivedMessage(topic, partition, record);
}

/** Says whether a message comes from Kafka, and lets its partition, offset and timestamp be read. */
export function isKafkaMessage(message: Message): message is KafkaMessage {
  return message instanceof ReceivedMessage;
}

/** Values of one header name that are there several times are joined with ", ". */
function headersOf(headers: FetchedRecord["headers"]): Readonly<Record<string, string>> {
  let texts: Record<string, string> | undefined;
  for (const name in headers) {
    const value = headers[name];
    if (value == null) continue;
    texts ??= {};
    texts[name] = Array.isArray(value) ? value.map(textOf).join(", ") : textOf(value);
  }
  return texts ?? noHeaders;
}

function textOf(value: HeaderValue): string {
  if (typeof value === "string") return value;
  return Buffer.isBuffer(value) ? value.toString() : Buffer.from(value).toString();
}
