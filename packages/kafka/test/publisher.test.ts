import { PublishError } from "@lab/core";
import { describe, expect, test } from "vitest";
import { useKafka, withKafka } from "./support/kafka.ts";

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

  test("gives up what brokers that do not answer do not confirm, and goes on when they do", async () => {
    const topic = await kafka.topic();
    const publisher = kafka.publisher({ confirmTimeout: 1_500 });
    await publisher.publish(topic, numbers(1));
    kafka.broker.pause();
    const failures = [{ index: 0, error: { code: "CONNECTION_LOST" } }];
    await expect(publisher.publish(topic, numbers(1))).rejects.toMatchObject({ failures });
    kafka.broker.resume();
    await publisher.publish(topic, numbers(1));
  });

  test("closes in a few seconds when brokers do not answer, and tells what is not confirmed", async () => {
    const topic = await kafka.topic();
    const publisher = kafka.publisher();
    await publisher.publish(topic, numbers(1));
    kafka.broker.pause();
    const publishing = publisher.publish(topic, numbers(2));
    const failed = expect(publishing).rejects.toMatchObject({
      failures: [{ index: 0 }, { index: 1 }],
    });
    await publisher.close();
    await failed;
    kafka.broker.resume();
    await expect(publisher.publish(topic, numbers(1))).rejects.toMatchObject({
      failures: [{ index: 0, error: { code: "PUBLISH_FAILED" } }],
    });
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
