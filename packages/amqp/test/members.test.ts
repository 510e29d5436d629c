import type { RunningBroker } from "@lab/testbed";
import { eventually } from "@lab/testbed/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { publish, publisher, queueAt, raw, subscribe, texts } from "./support/clients.ts";
import { rabbitMq, withRabbitMq } from "./support/rabbitmq.ts";
import { tapWire } from "./support/wire.ts";

describe.skipIf(!withRabbitMq)("several consumers", () => {
  let broker: RunningBroker;
  beforeAll(async () => {
    broker = await rabbitMq();
  });
  afterAll(() => broker.stop());

  describe.each(["classic", "quorum"] as const)("of a %s queue", (type) => {
    test("with a single active one, the next gets nothing while work is in hand here", async () => {
      const { url } = broker;
      const queue = await queueAt(url, type, { arguments: { "x-single-active-consumer": true } });
      await publish(url, queue, texts(20));
      const active = await subscribe({ url, queue, window: 4 });
      await active.inbox.received(4);
      const next = await subscribe({ url, queue, window: 4 });
      await active.subscription.stop();
      active.inbox.deliveries[0]?.settle("ack");
      // What the broker has done with this, it had to decide on the acknowledgement before.
      await publish(url, queue, texts(1, 20));
      expect(next.inbox.bodies).toEqual([]);
      for (const delivery of active.inbox.deliveries.slice(1, 3)) delivery.settle("ack");
      await active.subscription.close();
      expect(active.inbox.bodies).toEqual(["0", "1", "2", "3"]);
      next.inbox.onDelivery = (delivery) => delivery.settle("ack");
      for (const delivery of next.inbox.deliveries) delivery.settle("ack");
      await next.inbox.received(18);
      expect(next.inbox.bodies).toEqual(texts(18, 3).map(({ body }) => `${body}`));
    });

    test("with a single active one, the next takes over when the connection of the first breaks", async () => {
      const queue = await queueAt(broker.directUrl, type, {
        arguments: { "x-single-active-consumer": true },
      });
      await publish(broker.directUrl, queue, texts(4));
      const active = await subscribe({
        url: broker.url,
        queue,
        window: 4,
        backoff: { base: 60_000, cap: 60_000 },
      });
      await active.inbox.received(4);
      const next = await subscribe({ url: broker.directUrl, queue, window: 4 });
      await broker.cut();
      await next.inbox.received(4);
      expect(next.inbox.bodies).toEqual(["0", "1", "2", "3"]);
      expect(active.inbox.deliveries[0]?.settle("ack")).toBe("stale");
    });
  });

  test("a lost consumer is waited for in vain where others have come: for takeBackTimeout, and then never again", async () => {
    const wire = await tapWire(broker.url);
    const queue = await queueAt(broker.url);
    const { inbox } = await subscribe({ url: wire.url, queue, takeBackTimeout: 300 });
    await subscribe({ url: broker.url, queue });
    const looks = async (times: number): Promise<number> => {
      const before = wire.count("50.10");
      wire.cutClients();
      wire.release();
      await inbox.state("connected", times);
      return wire.count("50.10") - before;
    };
    expect(await looks(2)).toBeGreaterThan(1);
    expect(await looks(3)).toBe(1);
  });

  test("a consistent-hash exchange keeps each key in one queue", async () => {
    const { url } = broker;
    const { channel } = await raw(url);
    const exchange = "by-key";
    await channel.assertExchange(exchange, "x-consistent-hash", {
      arguments: { "hash-header": "key" },
    });
    const queues = [await queueAt(url), await queueAt(url)];
    for (const queue of queues) await channel.bindQueue(queue, exchange, "10");
    const keys = Array.from({ length: 40 }, (_, i) => `key-${i}`);
    const batch = Array.from({ length: 400 }, (_, i) => ({
      body: Buffer.from(`${i}`),
      key: keys[i % keys.length],
    }));
    await publisher(url, { exchange }).publish("", batch);
    const members = await Promise.all(
      queues.map((queue) => subscribe({ url, queue, window: 400 })),
    );
    await eventually("all messages", () => {
      return members.reduce((sum, { inbox }) => sum + inbox.deliveries.length, 0) === 400;
    });
    const [one = [], two = []] = members.map(({ inbox }) =>
      inbox.deliveries.map(({ message }) => message.key),
    );
    expect(one.filter((key) => two.includes(key))).toEqual([]);
    expect(new Set([...one, ...two]).size).toBe(40);
    expect(Math.min(one.length, two.length)).toBeGreaterThan(0);
  });
});
