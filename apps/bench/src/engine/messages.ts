import type { Delivery } from "@lab/core";

/** Messages with round-robin keys, built before the clock starts: each is an object of its own, as if it had arrived. */
export function buildMessages(count: number, keys: number): Delivery[] {
  const names = Array.from({ length: keys }, (_, key) => `key-${key}`);
  const body = new Uint8Array(12);
  const headers = {};
  const session = { ended: false, signal: new AbortController().signal };
  const settle = (): "settled" => "settled";
  return Array.from({ length: count }, (_, index) => ({
    message: { body, key: names[index % keys], destination: "backlog", headers },
    redelivered: false,
    deliveryCount: 1,
    session,
    settle,
  }));
}
