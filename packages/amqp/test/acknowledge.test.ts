import type { RunningBroker } from "@lab/testbed";
import { eventually, Inbox } from "@lab/testbed/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { publish, queueAt, raw, ready, subscribe, texts } from "./support/clients.ts";
import { rabbitMq, withRabbitMq } from "./support/rabbitmq.ts";
import { tapWire } from "./support/wire.ts";

describe.skipIf(!withRabbitMq)("acknowledgements", () => {
  let broker: RunningBroker;
  beforeAll(async () => {
    broker = await rabbitMq();
  });
  afterAll(() => broker.stop());

  describe.each(["single", "multiple"] as const)("%s", (ack) => {
    test("what is settled right before the close is not lost with amqplib's buffers", async () => {
      const { url } = broker;
      const queue = await queueAt(url);
      await publish(url, queue, texts(10));
      const { inbox, subscription } = await subscribe({ url, queue, ack });
      await inbox.received(10);
      for (const delivery of inbox.deliveries) delivery.settle("ack");
      await subscription.close();
      const { channel } = await raw(url);
      expect(await ready(channel, queue)).toBe(0);
    });

    test("a quorum queue does not forget what was acknowledged right before the close", async () => {
      const { url } = broker;
      const queue = await queueAt(url, "quorum");
      const { channel } = await raw(url);
      for (let round = 0; round < 3; round++) {
        await publish(url, queue, texts(5_000));
        const inbox = new Inbox();
        // Behind one that is unsettled, so that each needs a frame of its own.
        inbox.onDelivery = (delivery) => {
          if (delivery !== inbox.deliveries[0]) delivery.settle("ack");
        };
        const { subscription } = await subscribe({ url, queue, ack, window: 1_000, inbox });
        await inbox.received(5_000);
        inbox.deliveries[0]?.settle("ack");
        await subscription.close();
        await eventually("the consumer to be gone", async () => {
          return (await channel.checkQueue(queue)).consumerCount === 0;
        });
        expect(await ready(channel, queue)).toBe(0);
      }
    });

    test("an unsettled message holds up neither the window nor the acknowledgement of others", async () => {
      const { url } = broker;
      const queue = await queueAt(url);
      await publish(url, queue, texts(300));
      const { inbox, subscription } = await subscribe({ url, queue, ack, window: 16 });
      inbox.onDelivery = (delivery) => {
        if (delivery !== inbox.deliveries[0]) delivery.settle("ack");
      };
      for (const delivery of inbox.deliveries.slice(1)) delivery.settle("ack");
      await inbox.received(300);
      await subscription.close();
      const { channel } = await raw(url);
      expect(await ready(channel, queue)).toBe(1);
    });

    test("the broker is told of each message once, in whatever order they are settled", async () => {
      const wire = await tapWire(broker.url);
      const queue = await queueAt(broker.url);
      await publish(broker.url, queue, texts(64));
      const { inbox, subscription } = await subscribe({ url: wire.url, queue, ack, window: 64 });
      await inbox.received(64);
      const order = [...inbox.deliveries.keys()].map((i) => (i * 37) % 64);
      for (const index of order) {
        inbox.deliveries[index]?.settle("ack");
        if (index % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      await subscription.close();
      const told = new Set<number>();
      let upTo = 0;
      for (const { tag, multiple } of wire.acks) {
        expect(told.has(tag) || tag <= upTo, `${tag} twice`).toBe(false);
        if (multiple) upTo = tag;
        else told.add(tag);
      }
      const { channel } = await raw(broker.url);
      expect(await ready(channel, queue)).toBe(0);
    });
  });

  test("what is settled in one turn, without a gap, costs one frame", async () => {
    const wire = await tapWire(broker.url);
    const queue = await queueAt(broker.url);
    await publish(broker.url, queue, texts(64));
    const { inbox } = await subscribe({ url: wire.url, queue, window: 64 });
    await inbox.received(64);
    for (const delivery of inbox.deliveries) delivery.settle("ack");
    await eventually("an acknowledgement", () => wire.acks.length > 0);
    expect(wire.acks).toEqual([{ tag: 64, multiple: true }]);
  });

  test("multiple: fewer frames than messages where they are settled out of order", async () => {
    const frames = async (ack: "single" | "multiple"): Promise<number> => {
      const wire = await tapWire(broker.url);
      const queue = await queueAt(broker.url);
      await publish(broker.url, queue, texts(1_000));
      const { inbox, subscription } = await subscribe({ url: wire.url, queue, ack, window: 64 });
      // Two behind, one ahead: never in order, never far from it.
      const pending = [...inbox.deliveries];
      const settleSome = (): void => {
        while (pending.length >= 4) {
          const [first, second] = pending.splice(0, 2);
          setImmediate(() => second?.settle("ack"));
          setImmediate(() => setImmediate(() => first?.settle("ack")));
        }
      };
      inbox.onDelivery = (delivery) => {
        pending.push(delivery);
        settleSome();
      };
      settleSome();
      await inbox.received(1_000);
      await subscription.close();
      return wire.acks.length;
    };
    const single = await frames("single");
    const multiple = await frames("multiple");
    expect(multiple).toBeLessThan(single);
  });

  test("a message settled twice is acknowledged once: the channel lives on", async () => {
    const { url } = broker;
    const queue = await queueAt(url);
    const { inbox } = await subscribe({ url, queue, window: 1 });
    await publish(url, queue, texts(1));
    await inbox.received(1);
    const [first] = inbox.deliveries;
    expect(first?.settle("ack")).toBe("settled");
    expect(first?.settle("ack")).toBe("repeated");
    expect(first?.settle("reject")).toBe("repeated");
    await publish(url, queue, texts(1, 1));
    await inbox.received(2);
    expect(inbox.deliveries[1]?.session).toBe(first?.session);
    expect(inbox.states.map(({ state }) => state)).toEqual(["connecting", "connected"]);
  });

  test("a window beyond what prefetch can say still is a bound", async () => {
    const wire = await tapWire(broker.url);
    const queue = await queueAt(broker.url);
    await publish(broker.url, queue, texts(10));
    const { inbox } = await subscribe({ url: wire.url, queue, window: 100_000 });
    await inbox.received(10);
    const qos = wire.sent.find(({ name }) => name === "60.10");
    expect(qos?.payload.readUInt16BE(8)).toBe(65_535); // 0 would be no limit.
  });

  test("rejected messages go to the dead-letter exchange; the order of the others is kept", async () => {
    const { url } = broker;
    const letters = await queueAt(url);
    const queue = await queueAt(url, "classic", {
      deadLetterExchange: "",
      deadLetterRoutingKey: letters,
    });
    await publish(url, queue, texts(12));
    const { inbox } = await subscribe({ url, queue, window: 4 });
    const dead = await subscribe({ url, queue: letters });
    const settle = (index: number): void => {
      inbox.deliveries[index]?.settle(index % 3 === 0 ? "reject" : "ack");
    };
    for (let index = 0; index < 12; index++) {
      await inbox.received(index + 1);
      settle(index);
    }
    await dead.inbox.received(4);
    expect(inbox.bodies).toEqual(texts(12).map(({ body }) => `${body}`));
    expect(dead.inbox.bodies).toEqual(["0", "3", "6", "9"]);
    const death = JSON.parse(dead.inbox.deliveries[0]?.message.headers["x-death"] ?? "[]");
    expect(death).toMatchObject([{ reason: "rejected", queue, count: 1 }]);
  });

  test("a nack puts a message behind its prefetched siblings: why the engine never does it", async () => {
    const { url } = broker;
    const queue = await queueAt(url);
    await publish(url, queue, texts(3));
    const { inbox } = await subscribe({ url, queue, window: 3 });
    await inbox.received(3);
    inbox.deliveries[0]?.settle("nack");
    await inbox.received(4);
    expect(inbox.bodies).toEqual(["0", "1", "2", "0"]);
    expect(inbox.deliveries[3]?.redelivered).toBe(true);
  });
});
