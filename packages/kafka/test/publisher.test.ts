import { setTimeout as sleep } from "node:timers/promises";
import { PublishError } from "@lab/core";
import { describe, expect, test } from "vitest";
import { eventually, Inbox } from "./support/inbox.ts";
import { useKafka, withKafka } from "./support/kafka.ts";
import { sockets } from "./support/sockets.ts";
import { known } from "./support/topics.ts";

const numbers = (count: number): { body: Buffer; key: string }[] =>
  Array.from({ length: count }, (_, i) => ({ body: Buffer.from(`${i}`), key: "k" }));

describe.skipIf(!withKafka)("the publisher on Apache Kafka", () => {
  const kafka = useKafka();

  test("keeps the order of batches that are published without waiting for one another", async () => {
    const topic = await kafka.topic();
    const publisher = kafka.publisher();
    const all = numbers(500);
    await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        publisher.publish(topic, all.slice(i * 10, i * 10 + 10)),
      ),
    );
    const { inbox } = await kafka.subscribe(topic, { window: 1_000 });
    await inbox.received(500);
    expect(inbox.bodies).toEqual(all.map(({ body }) => `${body}`));
  });

  test("writes each message once, though leaders of a new topic refuse the first batch until they know that they lead", async () => {
    const topics = Array.from({ length: 20 }, (_, i) => `new-${i}`);
    const messages = numbers(240).map((message, i) => ({ ...message, key: `${i % 40}` }));
    for (const topic of topics) {
      await kafka.admin.createTopics({
        topics: [{ topic, numPartitions: 12 }],
        waitForLeaders: false,
      });
      await known(kafka.admin, topic);
      await kafka.publisher().publish(topic, messages);
    }
    for (const topic of topics) {
      const offsets = await kafka.admin.fetchTopicOffsets(topic);
      expect(offsets.reduce((sum, { high }) => sum + Number(high), 0)).toBe(messages.length);
    }
  });

  test("writes each message once, and in order, through cut connections", async () => {
    const topic = await kafka.topic(4);
    const publisher = kafka.publisher();
    const messages = numbers(4_000).map((message, i) => (i % 2 ? message : { body: message.body }));
    let published = 0;
    const publishing = (async () => {
      for (; published < messages.length; published += 20) {
        await publisher.publish(topic, messages.slice(published, published + 20));
      }
    })();
    for (let cuts = 0; published < messages.length; cuts++) {
      const next = ((cuts + 1) * messages.length) / 12;
      await eventually(
        () => published >= Math.min(next, messages.length),
        () => `${next} published, got ${published}`,
      );
      await kafka.broker.cut();
    }
    await publishing;
    const inbox = new Inbox();
    inbox.onDelivery = (delivery) => delivery.settle("ack");
    await kafka.subscribe(topic, { window: 1_000, inbox });
    await inbox.received(messages.length);
    const seen = inbox.bodies.map(Number);
    expect(new Set(seen).size).toBe(messages.length);
    const keyed = seen.filter((number) => number % 2 === 1);
    expect(keyed).toEqual([...keyed].sort((a, b) => a - b));
    const offsets = await kafka.admin.fetchTopicOffsets(topic);
    expect(offsets.reduce((sum, { high }) => sum + Number(high), 0)).toBe(messages.length);
  });

  test("sends in several batches what is more than the topic takes in one", async () => {
    const topic = await kafka.topic();
    const body = Buffer.alloc(100_000, 1);
    await kafka.publisher().publish(
      topic,
      Array.from({ length: 50 }, () => ({ body })),
    );
    const { inbox } = await kafka.subscribe(topic, { window: 100 });
    await inbox.received(50);
  });

  test("finds the message that the topic does not take, and confirms those around it in order", async () => {
    const configEntries = [{ name: "max.message.bytes", value: "20000" }];
    const topic = await kafka.topic(1, { configEntries });
    const messages = numbers(64).map((message, i) =>
      i === 37 ? { body: Buffer.alloc(30_000) } : message,
    );
    const error: PublishError = await kafka
      .publisher()
      .publish(topic, messages)
      .then(
        () => undefined,
        (thrown) => thrown,
      );
    expect(error).toBeInstanceOf(PublishError);
    expect(error.failures).toMatchObject([{ index: 37, error: { code: "UNSUPPORTED_MESSAGE" } }]);
    const { inbox } = await kafka.subscribe(topic, { window: 100 });
    await inbox.received(63);
    expect(inbox.bodies).toEqual(
      numbers(64)
        .map(({ body }) => `${body}`)
        .filter((_, i) => i !== 37),
    );
  });

  test("writes those around it once, in other partitions too", async () => {
    const configEntries = [{ name: "max.message.bytes", value: "20000" }];
    const topic = await kafka.topic(6, { configEntries });
    const messages = numbers(200).map((message, i) => ({
      key: `${i % 50}`,
      body: i === 120 ? Buffer.alloc(30_000) : message.body,
    }));
    await expect(kafka.publisher().publish(topic, messages)).rejects.toMatchObject({
      failures: [{ index: 120, error: { code: "UNSUPPORTED_MESSAGE" } }],
    });
    const offsets = await kafka.admin.fetchTopicOffsets(topic);
    expect(offsets.reduce((sum, { high }) => sum + Number(high), 0)).toBe(199);
  });

  test("takes a topic's larger limit where it is told of it", async () => {
    const configEntries = [{ name: "max.message.bytes", value: "3000000" }];
    const topic = await kafka.topic(1, { configEntries });
    const large = [{ body: Buffer.alloc(2_000_000, 7) }];
    await expect(kafka.publisher().publish(topic, large)).rejects.toMatchObject({
      failures: [{ index: 0, error: { code: "UNSUPPORTED_MESSAGE", message: /maxMessageBytes/ } }],
    });
    await kafka.publisher({ maxMessageBytes: 3_000_000 }).publish(topic, large);
    const { inbox } = await kafka.subscribe(topic);
    await inbox.received(1);
    const [
      {
        message: { body },
      } = { message: { body: Buffer.alloc(0) } },
    ] = inbox.deliveries;
    expect(Buffer.compare(body, large[0]?.body ?? Buffer.alloc(0))).toBe(0);
  });

  test("gives up what brokers that do not answer do not confirm, and loses nothing of what comes after", async () => {
    const topic = await kafka.topic();
    const publisher = kafka.publisher({ confirmTimeout: 1_500 });
    const [first, second, third] = ["first", "second", "third"].map((text) => [
      { body: Buffer.from(text), key: "k" },
    ]);
    await publisher.publish(topic, first ?? []);
    kafka.broker.pause();
    const failures = [{ index: 0, error: { code: "CONNECTION_LOST" } }];
    await expect(publisher.publish(topic, second ?? [])).rejects.toMatchObject({ failures });
    kafka.broker.resume();
    // The brokers have the second by now. To a producer that went on counting they would confirm the third as that one.
    await publisher.publish(topic, third ?? []);
    const { inbox } = await kafka.subscribe(topic);
    await eventually(
      () => inbox.bodies.includes("third"),
      () => `the third; got ${inbox.bodies}`,
    );
  });

  test("closes in a few seconds when brokers do not answer, and tells what is not confirmed", async () => {
    const topic = await kafka.topic();
    const publisher = kafka.publisher();
    await publisher.publish(topic, numbers(1));
    kafka.broker.pause();
    const open = sockets();
    const publishing = publisher.publish(topic, numbers(2));
    const failed = expect(publishing).rejects.toMatchObject({
      failures: [{ index: 0 }, { index: 1 }],
    });
    const begin = performance.now();
    await publisher.close();
    expect(performance.now() - begin).toBeLessThan(10_000); // kafkajs alone: 30 s.
    await failed;
    kafka.broker.resume();
    await eventually(
      () => sockets() < open,
      () => `its sockets to be closed; ${sockets()} of ${open} are there`,
    );
    await expect(publisher.publish(topic, numbers(1))).rejects.toMatchObject({
      failures: [{ index: 0, error: { code: "PUBLISH_FAILED" } }],
    });
  });

  test("tries nothing any more once it is closed, though kafkajs would when the brokers come back", async () => {
    const topic = await kafka.topic();
    const publisher = kafka.publisher();
    await publisher.publish(topic, numbers(1));
    await kafka.broker.kill?.();
    const failed = expect(publisher.publish(topic, numbers(1))).rejects.toMatchObject({
      failures: [{ error: { code: "CONNECTION_LOST" } }],
    });
    await publisher.close();
    await failed;
    const closed = sockets();
    await kafka.broker.start?.();
    await sleep(3_000); // Longer than kafkajs waits before it tries again. Too short could only miss a fault.
    expect(sockets()).toBeLessThanOrEqual(closed);
    const [{ high } = { high: "" }] = await kafka.admin.fetchTopicOffsets(topic);
    expect(high).toBe("1");
  });

  test("confirms what is published while the broker restarts", async () => {
    const topic = await kafka.topic();
    const publisher = kafka.publisher();
    await publisher.publish(topic, numbers(1));
    const [publishing] = [publisher.publish(topic, numbers(3)), await kafka.broker.restart?.()];
    await publishing;
  });

  test("refuses what Kafka cannot carry, by its place in the batch", async () => {
    const topic = await kafka.topic();
    const bad = [
      { body: "text" as unknown as Buffer },
      { body: Buffer.alloc(0), key: 7 as unknown as string },
      { body: Buffer.alloc(0), headers: { n: 1 as unknown as string } },
      undefined as unknown as { body: Buffer },
    ];
    const publishing = kafka.publisher().publish(topic, [...numbers(1), ...bad, ...numbers(1)]);
    await expect(publishing).rejects.toMatchObject({
      failures: [1, 2, 3, 4].map((index) => ({ index, error: { code: "UNSUPPORTED_MESSAGE" } })),
    });
    const { inbox } = await kafka.subscribe(topic);
    await inbox.received(2);
  });
});
