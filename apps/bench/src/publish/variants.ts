/** Publishes that are under way at once in the variant `window`. */
export const inFlight = 100;

export const bodyBytes = 100;

/** A way to publish. */
export interface Variant {
  readonly variant: "awaited" | "window" | "batch" | "client";
  /** Messages in each call of `publish`, or published by a plain client before it waits. */
  readonly batch: number;
  /** Calls that are not waited for before the next. */
  readonly calls: number;
  /** The npm package that publishes, and its version; null for our own. */
  readonly client: string | null;
}

/**
 * Those of a broker, beside its plain client where there is one. The first is what the others are compared with. A plain
 * client comes right behind what it is to be compared with, so that whatever else the machine does meets both alike.
 */
export function variantsBeside(client: string | undefined): readonly Variant[] {
  const plainly = (batch: number): Variant[] =>
    client === undefined ? [] : [{ variant: "client", batch, calls: 1, client }];
  return [
    { variant: "awaited", batch: 1, calls: 1, client: null },
    ...plainly(1),
    { variant: "window", batch: 1, calls: inFlight, client: null },
    { variant: "batch", batch: 10, calls: 1, client: null },
    { variant: "batch", batch: 100, calls: 1, client: null },
    ...plainly(100),
    { variant: "batch", batch: 1_000, calls: 1, client: null },
  ];
}

export interface Published {
  readonly messages: number;
  readonly ms: number;
}

/**
 * Calls `publish`, which publishes a batch, for so long, in ms, or until it is so many messages. Resolves when all are
 * confirmed.
 */
export async function publishFor(
  publish: () => Promise<void>,
  { batch, calls }: Pick<Variant, "batch" | "calls">,
  limit: { readonly ms: number; readonly messages: number },
): Promise<Published> {
  const started = performance.now();
  let sent = 0;
  const loop = async (): Promise<void> => {
    while (sent < limit.messages && performance.now() - started < limit.ms) {
      sent += batch;
      await publish();
    }
  };
  await Promise.all(Array.from({ length: calls }, loop));
  return { messages: sent, ms: performance.now() - started };
}
