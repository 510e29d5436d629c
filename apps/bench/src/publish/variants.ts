import type { OutgoingMessage, Publisher } from "@lab/core";

/** Publishes that are under way at once in the variant `window`. */
export const inFlight = 100;

export const bodyBytes = 100;

/** A way to publish. */
export interface Variant {
  readonly variant: "awaited" | "window" | "batch";
  /** Messages in each call of `publish`. */
  readonly batch: number;
  /** Calls of `publish` that are not waited for before the next. */
  readonly calls: number;
}

/** The first is what the others are compared with. */
export const variants: readonly Variant[] = [
  { variant: "awaited", batch: 1, calls: 1 },
  { variant: "window", batch: 1, calls: inFlight },
  { variant: "batch", batch: 10, calls: 1 },
  { variant: "batch", batch: 100, calls: 1 },
  { variant: "batch", batch: 1_000, calls: 1 },
];

export interface Published {
  readonly messages: number;
  readonly ms: number;
}

/** Publishes for so long, in ms, or until it is so many messages. Resolves when all are confirmed. */
export async function publishFor(
  publisher: Publisher,
  destination: string,
  { batch, calls }: Variant,
  limit: { readonly ms: number; readonly messages: number },
): Promise<Published> {
  const body = new Uint8Array(bodyBytes).fill(120);
  const messages: OutgoingMessage[] = Array.from({ length: batch }, () => ({ body }));
  const started = performance.now();
  let sent = 0;
  const loop = async (): Promise<void> => {
    while (sent < limit.messages && performance.now() - started < limit.ms) {
      sent += batch;
      await publisher.publish(destination, messages);
    }
  };
  await Promise.all(Array.from({ length: calls }, loop));
  return { messages: sent, ms: performance.now() - started };
}
