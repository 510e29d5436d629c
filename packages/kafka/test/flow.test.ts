import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { eventually, Inbox } from "./support/inbox.ts";
import { useKafka, withKafka } from "./support/kafka.ts";

function partitionOf(message: object): number {
  return Reflect.get(message, "partition");
}

describe.skipIf(!withKafka)("flow on Apache Kafka", () => {
  const kafka = useKafka();

  test("partitions take turns: none waits for the backlog of another", async () => {
    const topic = await kafka.topic(3);
    await kafka.produce(
      topic,
      Array.from({ length: 3_000 }, (_, i) => ({
        value: `${i}`,
        partition: Math.floor(i / 1_000),
      })),
    );
    const { inbox } = await kafka.subscribe(topic, { window: 30 });
    await inbox.received(30);
    const counts = [0, 0, 0];
    for (const { message } of inbox.deliveries) {
      counts[partitionOf(message)] = (counts[partitionOf(message)] as number) + 1;
    }
    expect(counts).toEqual([10, 10, 10]);
  });

  test("a backlog that is worked off slowly does not keep another partition from being fetched", async () => {
    const topic = await kafka.topic(2);
    await kafka.produce(
      topic,
      Array.from({ length: 2_000 }, () => ({ value: "backlog", partition: 0 })),
    );
    const inbox = new Inbox();
    let handling = true;
    const queue: (() => void)[] = [];
    inbox.onDelivery = (delivery) => queue.push(() => delivery.settle("ack"));
    const worker = (async () => {
      while (handling) {
        queue.shift()?.();
        await sleep(5);
      }
    })();
    await kafka.subscribe(topic, { window: 10, inbox });
    await inbox.received(10);
    await kafka.produce(topic, [{ value: "live", partition: 1 }]);
    await eventually(
      () => inbox.bodies.includes("live"),
      () => `the live record; ${inbox.deliveries.length} delivered`,
    );
    handling = false;
    await worker;
    // By far not at the end of the backlog.
    expect(inbox.deliveries.length).toBeLessThan(1_500);
  });

  test("after a long stall it goes on at once, not after kafkajs's five seconds", async () => {
    const topic = await kafka.topic();
    await kafka.produce(
      topic,
      Array.from({ length: 50 }, (_, i) => `${i}`),
    );
    const { inbox } = await kafka.subscribe(topic, { window: 20 });
    await inbox.received(20);
    await sleep(2_000); // Longer than records are held: the partition is paused.
    await kafka.produce(topic, ["new"]);
    inbox.onDelivery = (delivery) => delivery.settle("ack");
    const begin = performance.now();
    for (const delivery of [...inbox.deliveries]) delivery.settle("ack");
    await inbox.received(51);
    expect(performance.now() - begin).toBeLessThan(4_000);
    expect(inbox.bodies.at(-1)).toBe("new");
  });

  test("a stalled member stays in its group for longer than its session lasts", async () => {
    const topic = await kafka.topic(2);
    await kafka.produce(
      topic,
      Array.from({ length: 100 }, (_, i) => ({ value: `${i}`, partition: i % 2 })),
    );
    const { inbox } = await kafka.subscribe(topic, {
      window: 5,
      consumer: { sessionTimeout: 1_500, heartbeatInterval: 300 },
    });
    await inbox.received(5);
    await sleep(4_000);
    expect(inbox.ended).toEqual([]);
    inbox.onDelivery = (delivery) => delivery.settle("ack");
    for (const delivery of [...inbox.deliveries]) delivery.settle("ack");
    await inbox.received(100);
    expect(inbox.deliveries).toHaveLength(100);
    expect(inbox.ended).toEqual([]);
  });

  test("stop keeps the member in its group, with nothing delivered and settles committed", async () => {
    const topic = await kafka.topic(2);
    const fill = (): Promise<void> =>
      kafka.produce(
        topic,
        Array.from({ length: 100 }, (_, i) => ({ value: `${i}`, partition: i % 2 })),
      );
    await fill();
    const { inbox, subscription } = await kafka.subscribe(topic, {
      window: 10,
      commitInterval: 20,
      consumer: { sessionTimeout: 1_500, heartbeatInterval: 300 },
    });
    await inbox.received(10);
    await subscription.stop();
    await fill();
    await sleep(3_000);
    expect(inbox.deliveries).toHaveLength(10);
    for (const delivery of inbox.deliveries) expect(delivery.settle("ack")).toBe("settled");
    await eventually(
      async () => (await kafka.committed(topic)).reduce((sum, offset) => sum + offset, 0) === 10,
      () => "10 committed",
    );
  });
});
