import type { Clock } from "../../src/clock.ts";
import type { Sink, Subscription } from "../../src/index.ts";
import { MemoryBroker } from "../../src/memory/index.ts";

/** A memory broker with the queue `q`. */
export function brokerWithQueue(clock?: Clock): MemoryBroker {
  const broker = new MemoryBroker(clock === undefined ? {} : { clock });
  broker.createQueue("q");
  return broker;
}

export async function publishTexts(
  broker: MemoryBroker,
  texts: readonly string[],
  queue = "q",
): Promise<void> {
  const publisher = broker.publisher();
  await publisher.publish(
    queue,
    texts.map((text) => ({ body: Buffer.from(text) })),
  );
  await publisher.close();
}

export function subscribe(broker: MemoryBroker, sink: Sink, window = 10): Promise<Subscription> {
  return broker.subscriber().subscribe("q", { window }, sink);
}

export function numbers(count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, index) => String(from + index));
}
