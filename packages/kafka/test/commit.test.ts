import { describe, expect, test } from "vitest";
import { eventually, Inbox } from "./support/inbox.ts";
import { useKafka, withKafka } from "./support/kafka.ts";

const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => `${i}`);

describe.skipIf(!withKafka)("commits on Apache Kafka", () => {
  const kafka = useKafka();

  test("the committed offset is the first that is not settled, whatever is settled behind it", async () => {
    const topic = await kafka.topic();
    await kafka.produce(topic, numbers(10));
    const { inbox } = await kafka.subscribe(topic, { commitInterval: 20 });
    await inbox.received(10);
    const settle = (...indices: number[]): void => {
      for (const index of indices) inbox.deliveries[index]?.settle("ack");
    };
    settle(9, 5, 0, 2);
    await eventually(
      async () => (await kafka.committed(topic))[0] === 1,
      () => "1 committed",
    );
    settle(1, 3);
    await eventually(
      async () => (await kafka.committed(topic))[0] === 4,
      () => "4 committed",
    );
    settle(4, 6, 7, 8);
    await eventually(
      async () => (await kafka.committed(topic))[0] === 10,
      () => "10 committed",
    );
  });

  test("records are fetched on while nothing is settled, and nothing is committed for that", async () => {
    const topic = await kafka.topic();
    await kafka.produce(topic, numbers(5));
    const { inbox } = await kafka.subscribe(topic, { window: 100, commitInterval: 20 });
    await inbox.received(5);
    await kafka.produce(topic, ["later"]);
    await inbox.received(6);
    expect(inbox.bodies).toEqual([...numbers(5), "later"]);
    expect((await kafka.committed(topic))[0]).toBeLessThanOrEqual(0);
  });

  test("what is settled just before the end is committed, though kafkajs commits nothing once it stops", async () => {
    const topic = await kafka.topic();
    await kafka.produce(topic, numbers(10));
    // Neither time nor number asks for a commit before the end.
    const { inbox, subscription } = await kafka.subscribe(topic, {
      window: 1_000,
      commitInterval: 60_000,
    });
    await inbox.received(10);
    for (const delivery of inbox.deliveries) delivery.settle("ack");
    await subscription.close();
    expect(await kafka.committed(topic)).toEqual([10]);
  });

  test("no more is delivered than a crash may repeat, however slow the commits are", async () => {
    const topic = await kafka.topic(3);
    await kafka.produce(
      topic,
      numbers(600).map((value, i) => ({ value, partition: i % 3 })),
    );
    const inbox = new Inbox();
    let most = 0;
    inbox.onDelivery = (delivery) => delivery.settle("ack");
    const window = 20;
    await kafka.subscribe(topic, { window, inbox, commitInterval: 60_000 });
    await eventually(
      async () => {
        const delivered = inbox.deliveries.length; // Before the commits are asked for: too few at worst.
        const committed = await kafka.committed(topic);
        most = Math.max(most, delivered - committed.reduce((sum, at) => sum + Math.max(at, 0), 0));
        return delivered === 600;
      },
      () => `600 deliveries, got ${inbox.deliveries.length}`,
    );
    expect(most).toBeLessThanOrEqual(2 * window);
  });

  test("a stuck record lets twice the window pass by it, and not one more", async () => {
    const topic = await kafka.topic();
    await kafka.produce(topic, numbers(200));
    const inbox = new Inbox();
    inbox.onDelivery = (delivery) => {
      if (inbox.deliveries.length > 1) delivery.settle("ack");
    };
    const window = 10;
    await kafka.subscribe(topic, { window, inbox, commitInterval: 20 });
    await inbox.received(2 * window);
    await new Promise((resolve) => setTimeout(resolve, 300)); // Too short could only miss a fault.
    expect(inbox.deliveries.length).toBe(2 * window);
    inbox.deliveries[0]?.settle("ack");
    await inbox.received(200);
  });

  test("a stuck record in one of several partitions leaves the others their part", async () => {
    const topic = await kafka.topic(2);
    await kafka.produce(topic, [
      ...numbers(100).map((value) => ({ value, partition: 0 })),
      ...numbers(500).map((value) => ({ value, partition: 1 })),
    ]);
    const inbox = new Inbox();
    const of = (partition: number): number =>
      inbox.deliveries.filter(({ message }) => Reflect.get(message, "partition") === partition)
        .length;
    inbox.onDelivery = (delivery) => {
      const { partition, offset } = delivery.message as unknown as Record<string, unknown>;
      if (partition !== 0 || offset !== "0") delivery.settle("ack");
    };
    const window = 10;
    await kafka.subscribe(topic, { window, inbox, commitInterval: 20 });
    await eventually(
      () => of(1) === 500,
      () => `all of the other partition, got ${of(1)}`,
    );
    expect(of(0)).toBe(15);
  });

  test("with completions in metadata only what was not settled is delivered again", async () => {
    const topic = await kafka.topic(2);
    await kafka.produce(
      topic,
      numbers(100).map((value, i) => ({ value, partition: i % 2 })),
    );
    const options = { window: 200, completionsInMetadata: true };
    const first = await kafka.subscribe(topic, options);
    await first.inbox.received(100);
    const open = new Set(["0", "7", "8", "50", "99"]);
    for (const delivery of first.inbox.deliveries) {
      if (!open.has(Buffer.from(delivery.message.body).toString())) delivery.settle("ack");
    }
    await first.subscription.close();
    expect(await kafka.committed(topic)).toEqual([0, 3]);
    expect(await kafka.metadata(topic)).toEqual([
      expect.stringMatching(/^lab1:/),
      expect.stringMatching(/^lab1:/),
    ]);

    const second = await kafka.subscribe(topic, options);
    await second.inbox.received(open.size);
    await kafka.produce(topic, [
      { value: "end", partition: 0 },
      { value: "end", partition: 1 },
    ]);
    await second.inbox.received(open.size + 2);
    expect(new Set(second.inbox.bodies)).toEqual(new Set([...open, "end"]));
    for (const delivery of second.inbox.deliveries) delivery.settle("ack");
    await second.subscription.close();
    expect(await kafka.committed(topic)).toEqual([51, 51]);
    expect(await kafka.metadata(topic)).toEqual([null, null]);
  });
});

describe.skipIf(!withKafka)("an Apache Kafka that takes little metadata", () => {
  const kafka = useKafka({ config: ["offset.metadata.max.bytes=8"] });

  test("still gets the offsets, and a warning says why nothing else", async () => {
    const warnings: unknown[] = [];
    const note = (warning: Error): void => void warnings.push(Reflect.get(warning, "code"));
    process.on("warning", note);
    const topic = await kafka.topic();
    await kafka.produce(topic, numbers(10));
    const { inbox } = await kafka.subscribe(topic, {
      completionsInMetadata: true,
      commitInterval: 20,
    });
    await inbox.received(10);
    for (const index of [0, 1, 5]) inbox.deliveries[index]?.settle("ack");
    await eventually(
      async () => (await kafka.committed(topic))[0] === 2,
      () => "2 committed",
    );
    process.off("warning", note);
    expect(warnings).toContain("LAB_KAFKA_METADATA");
  });
});
