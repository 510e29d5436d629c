import type { Delivery } from "@lab/core";

/** Handlers running at once, in every contender but the bare loop. */
export const lanes = 32;
/** Messages in hand at once. */
export const window = 256;

/** The handler of every contender: asynchronous, and does nothing. */
export const handler = async (_delivery: Delivery): Promise<void> => {};

/** Something that calls the handler for each message, one after the other for each key. */
export interface Contender {
  readonly name: string;
  /** The npm package that it is made of; null for our own and for the bare loop. */
  readonly peer: string | null;
  /** Gets ready to handle the messages, which is not timed. */
  prepare(messages: readonly Delivery[]): Promise<Run>;
}

export interface Run {
  /** Handles all messages. */
  start(): Promise<void>;
  /** The most memory seen resident meanwhile, in bytes, where the contender looks. */
  readonly peakRss?: number;
}

/** Takes a message, and calls `settled` once it is handled. */
export type Push = (message: Delivery) => void;

/** Keeps `window` messages in hand until all are handled: each that is settled lets the next one in. */
export function windowed(create: (settled: () => void) => Push): Contender["prepare"] {
  return async (messages) => ({
    start: () =>
      new Promise((resolve) => {
        const total = messages.length;
        let next = 0;
        let handled = 0;
        const settled = (): void => {
          handled++;
          if (next < total) push(messages[next++] as Delivery);
          else if (handled === total) resolve();
        };
        const push = create(settled);
        while (next < window && next < total) push(messages[next++] as Delivery);
      }),
  });
}

/** The lane of a message where a key has a fixed one: FNV-1a, as a user would write it. */
export function laneOf({ message }: Delivery): number {
  const key = message.key ?? "";
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % lanes;
}
