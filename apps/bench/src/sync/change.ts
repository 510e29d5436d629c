/** A change of one value, as it is sent. */
export interface Change {
  readonly topic: string;
  readonly body: Buffer;
}

export type Side = "client" | "server";

/** Of this clock, all processes on one machine agree on it: ms since 1970, with fractions. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

/** The topics of the values that one side changes and the other mirrors: half of all that the client subscribes to. */
export function topicsOf(side: Side, subscriptions: number): string[] {
  return Array.from({ length: Math.floor(subscriptions / 2) }, (_, i) => `sync/${side}/${i}`);
}

export function change(topic: string, time: number): Change {
  const body = Buffer.allocUnsafe(8);
  body.writeDoubleLE(time);
  return { topic, body };
}

/** When the value was changed. */
export function timeOf(body: Uint8Array): number {
  return new DataView(body.buffer, body.byteOffset, body.byteLength).getFloat64(0, true);
}
