import { setTimeout as sleep } from "node:timers/promises";
import { type OutgoingMessage, PublishError } from "@lab/core";
import type { RunningBroker } from "@lab/testbed";
import { eventually } from "@lab/testbed/testing";
import { connect } from "amqplib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  names,
  publish,
  publisher,
  queueAt,
  raw,
  ready,
  subscribe,
  texts,
} from "./support/clients.ts";
import { rabbitMq, withRabbitMq } from "./support/rabbitmq.ts";

describe.skipIf(!withRabbitMq)("publisher", () => {
  let broker: RunningBroker;
  beforeAll(async () => {
    broker = await rabbitMq();
  });
  afterAll(() => broker.stop());

  const failuresOf = async (publishing: Promise<void>): Promise<PublishError> => {
    const error = await publishing.then(
      () => expect.unreachable("it was confirmed"),
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(PublishError);
    return error as PublishError;
  };
  const indexes = ({ failures }: PublishError) => failures.map(({ index }) => index);

  test("close loses nothing that was published before", async () => {
    const { url } = broker;
    const queue = await queueAt(url);
    const out = publisher(url);
    const publishing = out.publish(queue, texts(1_000));
    await out.close();
    await publishing;
    expect(await ready((await raw(url)).channel, queue)).toBe(1_000);
  });

  test("keeps the order, within a batch and from one to the next", async () => {
    const { url } = broker;
    const queue = await queueAt(url);
    const out = publisher(url, { window: 7 });
    await Promise.all([
      out.publish(queue, texts(50)),
      out.publish(queue, texts(1, 50)),
      out.publish(queue, texts(49, 51)),
    ]);
    const { inbox } = await subscribe({ url, queue, window: 100 });
    await inbox.received(100);
    expect(inbox.bodies).toEqual(names(100));
  });

  test.each(["with the defaults", "with a connect that does not pass them on"])(
    "an awaited publish of 4 KB does not wait for Nagle's algorithm, %s",
    async (how) => {
      const url = broker.directUrl;
      const queue = await queueAt(url);
      const out = publisher(url, {
        connect: (defaults) =>
          how === "with the defaults" ? connect(url, { ...defaults }) : connect(url),
      });
      const message = { body: Buffer.alloc(4_096) };
      await out.publish(queue, [message]);
      const start = performance.now();
      for (let i = 0; i < 100; i++) await out.publish(queue, [message]);
      // With it each takes 40 ms: 4 s. Without it all take about 100 ms.
      expect(performance.now() - start).toBeLessThan(3_000);
    },
  );

  test("a message that no queue takes has failed, though the broker confirms it", async () => {
    const { url } = broker;
    const queue = await queueAt(url);
    const { channel } = await raw(url);
    const exchange = `x-${queue}`;
    await channel.assertExchange(exchange, "direct", { autoDelete: false });
    await channel.bindQueue(queue, exchange, "bound");
    const out = publisher(url, { exchange });
    await out.publish("bound", texts(2));
    const error = await failuresOf(out.publish("unbound", texts(3)));
    expect(indexes(error)).toEqual([0, 1, 2]);
    expect(error.failures[0]?.error).toMatchObject({ code: "SOURCE_MISSING" });
    expect(error.failures[0]?.error.message).toContain("unbound");
    await publisher(url, { exchange, mandatory: false }).publish("unbound", texts(3));
    expect(await ready(channel, queue)).toBe(2);
  });

  test("each of interleaved batches learns its own failures", async () => {
    const { url } = broker;
    const queue = await queueAt(url);
    const out = publisher(url);
    const good = out.publish(queue, texts(200));
    const bad = failuresOf(out.publish("no-such-queue", texts(200)));
    const also = out.publish(queue, texts(200));
    await good;
    await also;
    expect(indexes(await bad)).toEqual([...Array(200).keys()]);
    expect(await ready((await raw(url)).channel, queue)).toBe(400);
  });

  test("what the broker refuses (basic.nack) has failed, whenever the refusal comes", async () => {
    const { url } = broker;
    const queue = await queueAt(url, "classic", { maxLength: 3, overflow: "reject-publish" });
    const out = publisher(url);
    const error = await failuresOf(out.publish(queue, texts(10)));
    expect(error.failures[0]?.error).toMatchObject({ code: "PUBLISH_FAILED" });
    const { inbox } = await subscribe({ url, queue });
    await inbox.received(10 - error.failures.length);
    const arrived = texts(10).filter((_, index) => !indexes(error).includes(index));
    expect(inbox.bodies).toEqual(arrived.map(({ body }) => `${body}`));
    expect(error.failures.length).toBeGreaterThan(0);
  });

  test("messages that cannot be carried fail alone, and are not sent", async () => {
    const { url } = broker;
    const queue = await queueAt(url);
    const body = Buffer.from("x");
    const bad = [
      { body, headers: { key: "k" } },
      { body, headers: { CC: "another" } },
      { body, headers: { ["n".repeat(256)]: "" } },
      { body, headers: { large: "x".repeat(70_000) } },
      { body, headers: { number: 1 } },
      { body: "text" },
      undefined,
    ] as unknown as OutgoingMessage[];
    const batch = bad.flatMap((message) => [message, { body }]);
    const error = await failuresOf(publisher(url).publish(queue, batch));
    expect(indexes(error)).toEqual([0, 2, 4, 6, 8, 10, 12]);
    for (const { error: why } of error.failures) {
      expect(why).toMatchObject({ code: "UNSUPPORTED_MESSAGE" });
    }
    expect(await ready((await raw(url)).channel, queue)).toBe(bad.length);
  });

  test("messages are kept on disk unless told otherwise", async () => {
    const { url } = broker;
    const queue = await queueAt(url);
    await publisher(url).publish(queue, texts(1));
    await publisher(url, { persistent: false }).publish(queue, texts(1));
    const { channel } = await raw(url);
    const modes = [await channel.get(queue), await channel.get(queue)].map(
      (got) => got !== false && got.properties.deliveryMode,
    );
    expect(modes).toEqual([2, 1]);
  });

  test("amqplib's buffer does not take in what the broker does not: it would grow without bound", async () => {
    const queue = await queueAt(broker.directUrl);
    const out = publisher(broker.url, { window: 2_000, confirmTimeout: 60_000 });
    await out.publish(queue, texts(1));
    const body = Buffer.alloc(128 * 1_024);
    broker.pause();
    const before = process.memoryUsage().arrayBuffers;
    const publishing = out.publish(queue, Array(2_000).fill({ body }));
    await sleep(200);
    const grown = process.memoryUsage().arrayBuffers - before;
    broker.resume();
    await publishing;
    expect(grown).toBeLessThan(64 * 1_048_576); // All would be 250 MB.
  });

  test("after a loss a batch fails from its first unconfirmed message on, and others wait", async () => {
    const queue = await queueAt(broker.directUrl);
    const out = publisher(broker.url, { window: 5 });
    await out.publish(queue, texts(1));
    broker.pause();
    const under = failuresOf(out.publish(queue, texts(20, 1)));
    const waiting = out.publish(queue, texts(20, 21));
    await sleep(50);
    await broker.cut();
    broker.resume();
    const error = await under;
    const [first = 0] = indexes(error);
    expect(indexes(error)).toEqual([...Array(20).keys()].slice(first));
    expect(error.failures[0]?.error).toMatchObject({ code: "CONNECTION_LOST" });
    await waiting;
    const { inbox } = await subscribe({ url: broker.url, queue, window: 100 });
    await inbox.received(21 + first);
    expect(inbox.bodies.slice(-20)).toEqual(names(20, 21));
  });

  test("waits for a broker that restarts, once it had been connected", async () => {
    const queue = await queueAt(broker.directUrl);
    let lost = false;
    const out = publisher(broker.url, {
      connect: async (defaults) => {
        const connection = await connect(broker.url, { ...defaults });
        connection.once("close", () => {
          lost = true;
        });
        return connection;
      },
    });
    await out.publish(queue, texts(1));
    // RabbitMQ writes of queues up to two seconds later: one killed before would come back without this one.
    await broker.admin?.("eval", "mnesia:sync_log().");
    await broker.kill?.();
    // What is published before that is in flight, and fails.
    await eventually("the loss to be noticed", () => lost);
    const publishing = out.publish(queue, texts(10, 1));
    await broker.start?.();
    await publishing;
    expect(await ready((await raw(broker.directUrl)).channel, queue)).toBe(11);
  });

  test("a broker that is not there at first fails the publish at once; the next one tries again", async () => {
    const { url } = broker;
    const queue = await queueAt(url);
    let there = false;
    const out = publisher(url, {
      connect: (defaults) => connect(there ? url : "amqp://127.0.0.1:1", { ...defaults }),
    });
    const error = await failuresOf(out.publish(queue, texts(2)));
    expect(indexes(error)).toEqual([0, 1]);
    expect(error.failures[0]?.error).toMatchObject({ code: "BROKER_UNREACHABLE" });
    there = true;
    await out.publish(queue, texts(2));
  });

  test("the next host is tried when one is away", async () => {
    const { url } = broker;
    const queue = await queueAt(url);
    const hosts = ["amqp://127.0.0.1:1", "amqp://127.0.0.1:2", url];
    const out = publisher(url, {
      connect: hosts.map((host) => (defaults) => connect(host, { ...defaults })),
    });
    await out.publish(queue, texts(2));
  });

  test("gives up when the broker confirms nothing for too long, and closes", async () => {
    const queue = await queueAt(broker.directUrl);
    const out = publisher(broker.url, { confirmTimeout: 300, window: 2 });
    await out.publish(queue, texts(1));
    broker.pause();
    const error = await failuresOf(out.publish(queue, texts(4)));
    expect(indexes(error)).toEqual([0, 1, 2, 3]);
    expect(error.failures[0]?.error).toMatchObject({ code: "CONNECTION_LOST" });
    broker.resume();
    await out.publish(queue, texts(1));
    broker.pause();
    await out.close();
    broker.resume();
  });

  describe("memory alarm", () => {
    const raise = () => broker.admin?.("set_vm_memory_high_watermark", "0.00001");
    const clear = () => broker.admin?.("set_vm_memory_high_watermark", "0.4");

    test("blocked publishers wait, bounded, while consumers on other connections go on", async () => {
      const { url } = broker;
      const queue = await queueAt(url);
      await publish(url, queue, texts(10));
      const patient = publisher(url, { confirmTimeout: 60_000 });
      const impatient = publisher(url, { confirmTimeout: 1_000 });
      for (const out of [patient, impatient]) await out.publish(queue, texts(1));
      await raise();
      try {
        const waits = patient.publish(queue, texts(5));
        const error = await failuresOf(impatient.publish(queue, texts(5)));
        expect(indexes(error)).toEqual([0, 1, 2, 3, 4]);
        expect(error.failures[0]?.error).toMatchObject({ code: "CONNECTION_LOST" });
        expect(error.failures[0]?.error.message).toContain("low on memory");
        const { inbox } = await subscribe({ url, queue });
        inbox.onDelivery = (delivery) => delivery.settle("ack");
        for (const delivery of inbox.deliveries) delivery.settle("ack");
        await inbox.received(12);
        await clear();
        await waits;
        await inbox.received(17);
      } finally {
        await clear();
      }
    });

    test("a blocked publisher closes", async () => {
      const { url } = broker;
      const queue = await queueAt(url);
      const out = publisher(url);
      await out.publish(queue, texts(1));
      await raise();
      try {
        const publishing = failuresOf(out.publish(queue, texts(1)));
        await out.close();
        await publishing;
      } finally {
        await clear();
      }
    });
  });

  test("what the broker kills the channel for fails what is in flight; the next publish works", async () => {
    const { url } = broker;
    const queue = await queueAt(url);
    await broker.admin?.("eval", "application:set_env(rabbit, max_message_size, 1000).");
    try {
      const out = publisher(url);
      const error = await failuresOf(out.publish(queue, [{ body: Buffer.alloc(1_001) }]));
      expect(error.failures[0]?.error).toMatchObject({ code: "PUBLISH_FAILED" });
      expect(error.failures[0]?.error.message).toMatch(/larger than/);
      await out.publish(queue, texts(1));
    } finally {
      await broker.admin?.("eval", "application:set_env(rabbit, max_message_size, 134217728).");
    }
  });
});
