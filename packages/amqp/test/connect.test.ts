import { amqpSubscriber } from "@lab/amqp";
import type { RunningBroker } from "@lab/testbed";
import { eventually, Inbox } from "@lab/testbed/testing";
import { connect } from "amqplib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { publish, publisher, queueAt, subscribe, texts } from "./support/clients.ts";
import { rabbitMq, withRabbitMq } from "./support/rabbitmq.ts";

describe.skipIf(!withRabbitMq)("connecting", () => {
  let broker: RunningBroker;
  beforeAll(async () => {
    broker = await rabbitMq();
  });
  afterAll(() => broker.stop());

  const connections = async (): Promise<number> => {
    const text = (await broker.admin?.("list_connections", "-q", "pid")) ?? "";
    return text.split("\n").filter((line) => line.startsWith("<")).length;
  };

  test("a broker that does not answer is given up after connectTimeout", async () => {
    broker.pause();
    try {
      const subscribing = subscribe({ url: broker.url, queue: "q", connectTimeout: 300 });
      await expect(subscribing).rejects.toMatchObject({ code: "BROKER_UNREACHABLE" });
      const publishing = publisher(broker.url, { connectTimeout: 300 }).publish("q", texts(1));
      await expect(publishing).rejects.toMatchObject({
        failures: [{ error: { code: "BROKER_UNREACHABLE" } }],
      });
    } finally {
      broker.resume();
    }
  });

  test("a broker that stops answering while the consumer is set up is given up after connectTimeout", async () => {
    const queue = await queueAt(broker.directUrl);
    try {
      const subscribing = subscribe({
        url: broker.url,
        queue,
        connectTimeout: 500,
        declare: (channel, name) => {
          broker.pause();
          return channel.checkQueue(name);
        },
      });
      await expect(subscribing).rejects.toMatchObject({ code: "BROKER_UNREACHABLE" });
      await expect(subscribing).rejects.toThrow(/no answer within 500 ms/);
    } finally {
      broker.resume();
    }
    await eventually("the broker to see nobody", async () => (await connections()) === 0);
  });

  test("an abort while the broker does not answer ends subscribe at once, and nothing stays open", async () => {
    broker.pause();
    try {
      const controller = new AbortController();
      const subscribing = subscribe({
        url: broker.url,
        queue: "q",
        signal: controller.signal,
        connectTimeout: 60_000,
      });
      const reason = new Error("enough");
      setTimeout(() => controller.abort(reason), 100);
      await expect(subscribing).rejects.toBe(reason);
    } finally {
      broker.resume();
    }
    await eventually("the broker to see nobody", async () => (await connections()) === 0);
  });

  test("a connection that comes too late, by a connect without the defaults, is closed", async () => {
    const controller = new AbortController();
    broker.pause();
    const subscriber = amqpSubscriber({ connect: () => connect(broker.url) });
    const { signal } = controller;
    const subscribing = subscriber.subscribe("q", { window: 1, signal }, new Inbox());
    setTimeout(() => controller.abort(new Error("enough")), 100);
    await expect(subscribing).rejects.toThrow("enough");
    broker.resume();
    await eventually("the broker to see nobody", async () => (await connections()) === 0);
  });

  test("closing leaves no connection at the broker", async () => {
    const queue = await queueAt(broker.url);
    const { subscription } = await subscribe({ url: broker.url, queue });
    const out = publisher(broker.url);
    await out.publish(queue, texts(1));
    await Promise.all([subscription.close(), out.close()]);
    await eventually("the broker to see nobody", async () => (await connections()) === 0);
  });

  test("what `declare` declares can be consumed: queue, exchange and binding", async () => {
    const { url } = broker;
    const { inbox } = await subscribe({
      url,
      queue: "declared",
      declare: async (channel, queue) => {
        await channel.assertExchange("orders", "topic");
        await channel.assertQueue(queue, { arguments: { "x-queue-type": "quorum" } });
        await channel.bindQueue(queue, "orders", "order.*");
      },
    });
    await publisher(url, { exchange: "orders" }).publish("order.created", texts(1));
    await inbox.received(1);
    expect(inbox.deliveries[0]?.message).toMatchObject({
      destination: "order.created",
      exchange: "orders",
    });
  });
});

describe.skipIf(!withRabbitMq)("TLS", () => {
  test("with the certificate's authority in the options of amqplib", async () => {
    const broker = await rabbitMq({ tls: true });
    try {
      const { url, ca } = broker;
      const queue = "secure";
      const secure = (defaults: object) => connect(url, { ...defaults, ca: [ca ?? ""] });
      const { inbox, subscription } = await subscribe({
        url,
        queue,
        connect: secure,
        declare: (channel, name) => channel.assertQueue(name),
      });
      const out = publisher(url, { connect: secure });
      await out.publish(queue, texts(1));
      await inbox.received(1);
      await expect(publish(url, queue, texts(1))).rejects.toThrow(/self-signed/);
      await broker.cut();
      await inbox.state("connected", 2);
      await Promise.all([subscription.close(), out.close()]);
    } finally {
      await broker.stop();
    }
  });
});
