import type { KeySelector, Message, OutgoingMessage } from "@lab/core";

/** What a scenario's message says: the `seq`-th message of `key`. In the body, since some brokers carry nothing else. */
export interface Entry {
  readonly key: string;
  readonly seq: number;
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** @throws {Error} when the body is no JSON */
export function entryOf(message: Message): Entry {
  return JSON.parse(decoder.decode(message.body)) as Entry;
}

export const keyOfEntry: KeySelector = (message) => entryOf(message).key;

/** `keys` keys with `each` messages, the keys in turns. */
export function entries(keys: number, each: number): Entry[] {
  return Array.from({ length: keys * each }, (_, i) => ({
    key: `key-${i % keys}`,
    seq: Math.floor(i / keys),
  }));
}

/** The message for an entry. The key goes with it where the publisher carries keys: some brokers partition by it. */
export function outgoing(entry: Entry, keys: boolean): OutgoingMessage {
  const body = Buffer.from(JSON.stringify(entry));
  return keys ? { body, key: entry.key } : { body };
}

export function nameOf({ key, seq }: Entry): string {
  return `${key}/${seq}`;
}
