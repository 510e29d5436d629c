import type { LabError } from "./errors.ts";
import { type ErrorCode, errorCodes, rootMessage } from "./errors.ts";
import type { Message, OutgoingMessage, PublisherCapabilities } from "./ports.ts";

/** A message that could not be handled, and why. */
export interface DeadLetter {
  /** The source that the consumer read. */
  readonly source: string;
  /** Where the message had been published. */
  readonly destination: string;
  readonly reason: ErrorCode;
  /** Attempts made in the last session. */
  readonly attempts: number;
  /** What was thrown, as text of at most 1000 characters. */
  readonly error: string;
  /** When it was given up. */
  readonly time: Date;
  readonly key: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const prefix = "lab-dead-letter-";
const longestError = 1000;

/** The message to publish: with headers where the publisher has them, in a JSON envelope where it has none. */
export function deadLetterMessage(
  source: string,
  message: Message,
  attempts: number,
  error: LabError,
  can: PublisherCapabilities,
): OutgoingMessage {
  const facts = {
    source,
    destination: message.destination,
    reason: error.code,
    attempts: String(attempts),
    error: rootMessage(error).slice(0, longestError),
    time: new Date().toISOString(),
    ...(message.key !== undefined && { key: message.key }),
  };
  const key = can.keys && message.key !== undefined ? { key: message.key } : {};
  if (!can.headers) {
    const body = Buffer.from(message.body).toString("base64");
    const envelope = JSON.stringify({ deadLetter: facts, headers: message.headers, body });
    return { ...key, body: Buffer.from(envelope) };
  }
  const headers: Record<string, string> = { ...message.headers };
  for (const [name, value] of Object.entries(facts)) headers[prefix + name] = value;
  return { ...key, headers, body: message.body };
}

/** Reads a message that a consumer published as a dead letter, in either form; `undefined` if it is none. */
export function readDeadLetter(message: Message): DeadLetter | undefined {
  const own: Record<string, string> = {};
  const facts: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers)) {
    if (name.startsWith(prefix)) facts[name.slice(prefix.length)] = value;
    else own[name] = value;
  }
  if (facts.reason !== undefined) return deadLetter(facts, own, message.body);
  try {
    const envelope = JSON.parse(new TextDecoder().decode(message.body));
    return deadLetter(envelope.deadLetter, envelope.headers, Buffer.from(envelope.body, "base64"));
  } catch {
    return undefined;
  }
}

function deadLetter(
  facts: Record<string, string>,
  headers: Record<string, string>,
  body: Uint8Array,
): DeadLetter | undefined {
  const reason = errorCodes.find((code) => code === facts.reason);
  if (reason === undefined) return undefined;
  return {
    source: facts.source ?? "",
    destination: facts.destination ?? "",
    reason,
    attempts: Number(facts.attempts),
    error: facts.error ?? "",
    time: new Date(facts.time ?? Number.NaN),
    key: facts.key,
    headers,
    body,
  };
}
