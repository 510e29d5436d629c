import { LabError, type OutgoingMessage, type PublisherCapabilities } from "@lab/core";
import { unsupportedMessage } from "@lab/core/adapter";
import { tombstone } from "./message.ts";

/** A record as kafkajs takes it. */
export interface OutgoingRecord {
  readonly key: string | null;
  readonly value: Buffer | null;
  readonly headers?: Record<string, string>;
  /** Once it has been chosen. */
  partition?: number;
}

/** What a batch has beside its records, rounded up. */
export const batchOverhead = 100;
/** What a record has beside its key, value and headers; and a header beside its name and value. At most. */
const recordOverhead = 40;
const headerOverhead = 10;

/** Says why a message cannot be published, or `undefined` where it can. */
export function unsupported(
  message: OutgoingMessage,
  capabilities: PublisherCapabilities,
  limit: number,
): LabError | undefined {
  if (typeof message !== "object" || message === null) {
    return refusal(`Expected a message with a \`body\`, got ${String(message)}.`);
  }
  const fault = unsupportedMessage(message, capabilities, "Kafka");
  if (fault !== undefined) return fault;
  const size = batchOverhead + sizeOf(message);
  if (size <= limit) return undefined;
  return refusal(
    `The message needs up to ${size} bytes, \`maxMessageBytes\` is ${limit}. Send less, or raise it together with the ` +
      "topic's max.message.bytes.",
  );
}

/** Bytes that a message takes in a batch, at most, before compression. */
export function sizeOf({ key, body, headers }: OutgoingMessage): number {
  let size = recordOverhead + body.byteLength;
  if (key !== undefined) size += Buffer.byteLength(key);
  for (const name in headers) {
    size += headerOverhead + Buffer.byteLength(name) + Buffer.byteLength(headers[name] as string);
  }
  return size;
}

export function recordOf({ key, body, headers }: OutgoingMessage): OutgoingRecord {
  return {
    key: key ?? null,
    value: body === tombstone ? null : bytesOf(body),
    ...(headers !== undefined && { headers: { ...headers } }),
  };
}

/** Without copying. */
function bytesOf(body: Uint8Array): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

function refusal(why: string): LabError {
  return new LabError("UNSUPPORTED_MESSAGE", why);
}
