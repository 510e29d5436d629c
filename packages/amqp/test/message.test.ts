import type { AmqpMessage } from "@lab/amqp";
import type { RunningBroker } from "@lab/testbed";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { publish, publisher, queueAt, raw, subscribe, texts } from "./support/clients.ts";
import { rabbitMq, withRabbitMq } from "./support/rabbitmq.ts";

describe.skipIf(!withRabbitMq)("messages", () => {
  let broker: RunningBroker;
  beforeAll(async () => {
    broker = await rabbitMq();
  });
  afterAll(() => broker.stop());

  const one = async (queue: string): Promise<AmqpMessage> => {
    const { inbox } = await subscribe({ url: broker.url, queue });
    await inbox.received(1);
    return inbox.deliveries[0]?.message as AmqpMessage;
  };

  test("the key goes as the header `key`, and is no header on arrival", async () => {
    const { url } = broker;
    const queue = await queueAt(url);
    const body = Buffer.from("x");
    await publisher(url).publish(queue, [{ body, key: "order-1", headers: { kind: "created" } }]);
    const { channel } = await raw(url);
    const got = await channel.get(queue);
    expect(got).toMatchObject({ properties: { headers: { key: "order-1", kind: "created" } } });
    if (got) channel.nack(got);
    expect(await one(queue)).toMatchObject({ key: "order-1", headers: { kind: "created" } });
  });

  test("without that header there is no key: a routing key shared by all would put all in one lane", async () => {
    const { url } = broker;
    const queue = await queueAt(url);
    await publish(url, queue, texts(1));
    const message = await one(queue);
    expect(message.key).toBeUndefined();
    expect(message.headers).toEqual({});
    expect(message.destination).toBe(queue);
    expect(message.exchange).toBe("");
  });

  test("headers that are no text appear as text, and with their types in `properties`", async () => {
    const { url } = broker;
    const queue = await queueAt(url);
    const { channel } = await raw(url);
    const headers = {
      key: 42,
      text: "Grüße",
      number: -7,
      fraction: 0.5,
      large: 2 ** 40,
      yes: true,
      nothing: null,
      bytes: Buffer.from([0, 255]),
      time: { "!": "timestamp", value: 1_700_000_000 },
      list: [1, "two", { "!": "timestamp", value: 3 }],
      table: { a: 1, b: Buffer.from("x") },
    };
    channel.sendToQueue(queue, Buffer.from("x"), {
      headers,
      contentType: "text/plain",
      correlationId: "c-1",
    });
    const message = await one(queue);
    expect(message.key).toBe("42");
    expect(message.headers).toEqual({
      text: "Grüße",
      number: "-7",
      fraction: "0.5",
      large: "1099511627776",
      yes: "true",
      nothing: "null",
      bytes: "AP8=",
      time: "1700000000",
      list: '[1,"two",3]',
      table: '{"a":1,"b":"eA=="}',
    });
    expect(message.properties).toMatchObject({
      contentType: "text/plain",
      correlationId: "c-1",
      headers: { number: -7, yes: true },
    });
  });

  test("every message has an id of its own", async () => {
    const { url } = broker;
    const queue = await queueAt(url);
    for (let i = 0; i < 2; i++) await publish(url, queue, texts(50));
    const { inbox } = await subscribe({ url, queue, window: 100 });
    await inbox.received(100);
    const ids = inbox.deliveries.map(
      ({ message }) => (message as AmqpMessage).properties.messageId,
    );
    expect(new Set(ids).size).toBe(100);
  });

  test("a parked small body does not keep alive the 64 KB that it was read with", async () => {
    const { url } = broker;
    const queue = await queueAt(url);
    const batch = Array.from({ length: 500 }, () => ({ body: Buffer.alloc(64) }));
    await publish(url, queue, batch);
    const { inbox } = await subscribe({ url, queue, window: 500 });
    await inbox.received(500);
    const longest = inbox.deliveries.map(({ message }) => message.body.buffer.byteLength);
    expect(Math.max(...longest)).toBeLessThanOrEqual(Buffer.poolSize);
  });

  test("a large body is not copied", async () => {
    const { url } = broker;
    const queue = await queueAt(url);
    await publish(url, queue, [{ body: Buffer.alloc(100_000, 7) }]);
    const { body } = await one(queue);
    expect(body.byteLength).toBe(100_000);
    expect(body.buffer.byteLength).toBeLessThan(8 * 100_000);
    expect(body.every((byte) => byte === 7)).toBe(true);
  });

  test("a quorum queue counts deliveries; at the limit the message goes to the dead-letter exchange", async () => {
    const { url } = broker;
    const letters = await queueAt(url);
    const queue = await queueAt(url, "quorum", {
      deadLetterExchange: "",
      deadLetterRoutingKey: letters,
      arguments: { "x-delivery-limit": 2 },
    });
    await publish(url, queue, texts(1));
    const { inbox } = await subscribe({ url, queue, queueType: "quorum" });
    for (let arrivals = 1; arrivals <= 3; arrivals++) {
      await inbox.received(arrivals);
      inbox.deliveries[arrivals - 1]?.settle("nack");
    }
    const dead = await subscribe({ url, queue: letters });
    await dead.inbox.received(1);
    expect(inbox.deliveries.map(({ deliveryCount }) => deliveryCount)).toEqual([1, 2, 3]);
    expect(dead.inbox.deliveries[0]?.deliveryCount).toBeUndefined();
    expect(dead.inbox.deliveries[0]?.message.headers["x-death"]).toContain("delivery_limit");
  });

  test("a first delivery counts as the first, whatever a header from elsewhere says", async () => {
    const { url } = broker;
    const queue = await queueAt(url, "quorum");
    const { channel } = await raw(url);
    channel.sendToQueue(queue, Buffer.from("x"), { headers: { "x-delivery-count": 7 } });
    const { inbox } = await subscribe({ url, queue, queueType: "quorum" });
    await inbox.received(1);
    expect(inbox.deliveries[0]?.deliveryCount).toBe(1);
    inbox.deliveries[0]?.settle("nack");
    await inbox.received(2);
    expect(inbox.deliveries[1]?.deliveryCount).toBe(2);
  });
});
