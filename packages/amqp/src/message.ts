import type { Message } from "@lab/core";
import type { ConsumeMessage, MessageProperties } from "amqplib";

/** The header that carries the key. */
export const keyHeader = "key";

/** A message as it arrived, with what only AMQP has. Handlers find it as `context.delivery.message`. */
export interface AmqpMessage extends Message {
  /** The exchange that it was published to; empty for the default one. `destination` is the routing key. */
  readonly exchange: string;
  /** As amqplib gives them: content type, correlation id, message id, and the headers with their types. */
  readonly properties: MessageProperties;
}

const noHeaders: Readonly<Record<string, string>> = Object.freeze({});

/** A body is copied when it would keep a buffer alive that is this many times as long. amqplib reads up to 64 KB at once. */
const wasteful = 8;

export function messageOf({ content, fields, properties }: ConsumeMessage): AmqpMessage {
  let key: string | undefined;
  let headers = noHeaders;
  const table: Readonly<Record<string, unknown>> | undefined = properties.headers;
  for (const name in table) {
    const value = textOf(table[name]);
    if (name === keyHeader) {
      key = value;
    } else {
      if (headers === noHeaders) headers = {};
      (headers as Record<string, string>)[name] = value;
    }
  }
  const waste = content.buffer.byteLength > content.byteLength * wasteful;
  return {
    body: waste ? Buffer.from(content) : content,
    key,
    destination: fields.routingKey,
    headers,
    exchange: fields.exchange,
    properties,
  };
}

/** Text as it is, bytes as base64, a timestamp as its seconds, everything else as JSON. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Buffer.isBuffer(value)) return value.toString("base64");
  return JSON.stringify(value, plain);
}

/** amqplib marks timestamps and decimals: `{ "!": "timestamp", value }`. */
function plain(this: unknown, name: string, json: unknown): unknown {
  const value: unknown = (this as Record<string, unknown>)[name];
  if (Buffer.isBuffer(value)) return value.toString("base64");
  return typeof value === "object" && value !== null && "!" in value && "value" in value
    ? value.value
    : json;
}
