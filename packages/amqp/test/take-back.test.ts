import { setTimeout as sleep } from "node:timers/promises";
import type { RunningBroker } from "@lab/testbed";
import { eventually } from "@lab/testbed/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { names, publish, queueAt, raw, subscribe, texts } from "./support/clients.ts";
import { rabbitMq, withRabbitMq } from "./support/rabbitmq.ts";
import { tapWire } from "./support/wire.ts";

const consume = "60.20";
const checkQueue = "50.10";

describe.skipIf(!withRabbitMq)("what a queue takes back", () => {
  let broker: RunningBroker;
  beforeAll(async () => {
    broker = await rabbitMq();
  });
  afterAll(() => broker.stop());

  test.for([
    ["classic", "in its old place", ["0", "1", "2", "3", "4", "5"]],
    ["quorum", "behind what it took back before", ["2", "3", "4", "5", "0", "1"]],
  ] as const)(
    "is put by a %s queue %s: seen where a window is smaller than the one before",
    async ([type, , order]) => {
      const queue = await queueAt(broker.directUrl, type);
      await publish(broker.directUrl, queue, texts(6));
      for (const window of [6, 2]) {
        const { inbox, subscription } = await subscribe({ url: broker.directUrl, queue, window });
        await inbox.received(window);
        await subscription.close();
        await unused(queue);
      }
      const { inbox } = await subscribe({ url: broker.directUrl, queue, window: 6 });
      await inbox.received(6);
      expect(inbox.bodies).toEqual(order);
    },
  );

  describe.each(["classic", "quorum"] as const)("from a lost consumer of a %s queue", (type) => {
    test("comes before later messages, however late the broker notices the loss", async () => {
      const wire = await tapWire(broker.url);
      const queue = await queueAt(broker.url, type);
      await publish(broker.url, queue, texts(8));
      const { inbox } = await subscribe({ url: wire.url, queue, window: 4 });
      await inbox.received(4);
      wire.cutClients();
      await inbox.state("reconnecting");
      await sleep(500); // It could be there again ten times over.
      expect(inbox.bodies).toEqual(["0", "1", "2", "3"]);
      wire.release();
      await inbox.received(8);
      expect(inbox.bodies.slice(4)).toEqual(["0", "1", "2", "3"]);
    });

    test("comes before later messages, though the consumer was lost before the broker heard of it", async () => {
      const wire = await tapWire(broker.url);
      const queue = await queueAt(broker.url, type);
      const { inbox } = await subscribe({ url: wire.url, queue, window: 4 });
      inbox.onDelivery = (delivery) => delivery.settle("ack");
      wire.delay(consume);
      wire.cutClients();
      await inbox.state("reconnecting");
      wire.release();
      await eventually("the second consumer to be on its way", () => wire.delayed === 1);
      wire.cutClients();
      await inbox.state("reconnecting", 2);
      const looks = async (more: number) => {
        const before = wire.count(checkQueue);
        await eventually("looks", () => wire.count(checkQueue) >= before + more);
      };
      await looks(1);
      wire.arrive();
      const { channel } = await raw(broker.url);
      await eventually("the second consumer", async () => {
        return (await channel.checkQueue(queue)).consumerCount > 0;
      });
      await looks(2); // The second of them began after it was there.
      await publish(broker.url, queue, texts(8));
      wire.release();
      await inbox.received(8);
      expect(inbox.bodies).toEqual(names(8));
    });
  });

  test("from a lost consumer comes before later messages, though a quorum queue does not answer meanwhile", async () => {
    const wire = await tapWire(broker.url);
    const queue = await queueAt(broker.url, "quorum");
    await publish(broker.url, queue, texts(8));
    const { inbox } = await subscribe({ url: wire.url, queue, window: 4 });
    await inbox.received(4);
    await queueIs("suspend", queue);
    const looks = wire.count(checkQueue);
    wire.cutClients();
    await eventually("looks in vain", () => wire.count(checkQueue) > looks + 1);
    await queueIs("resume", queue);
    wire.release();
    await inbox.received(8);
    expect(inbox.bodies.slice(4)).toEqual(["0", "1", "2", "3"]);
  });

  test("is not told of a quorum queue that does not answer: it has no consumers and no messages then", async () => {
    const queue = await queueAt(broker.directUrl, "quorum");
    await publish(broker.directUrl, queue, texts(2));
    await subscribe({ url: broker.directUrl, queue, window: 1 });
    const { channel } = await raw(broker.directUrl);
    const count = async () => {
      const { consumerCount, messageCount } = await channel.checkQueue(queue);
      return { consumerCount, messageCount };
    };
    await eventually("the consumer", async () => (await count()).messageCount === 1);
    expect(await count()).toEqual({ consumerCount: 1, messageCount: 1 });
    await queueIs("suspend", queue);
    expect(await count()).toEqual({ consumerCount: 0, messageCount: 0 });
    await queueIs("resume", queue);
  });

  async function unused(queue: string): Promise<void> {
    const { channel } = await raw(broker.directUrl);
    await eventually("the consumer to be gone", async () => {
      return (await channel.checkQueue(queue)).consumerCount === 0;
    });
  }

  /** The process of a quorum queue, in Erlang's words. */
  async function queueIs(what: "suspend" | "resume", queue: string): Promise<void> {
    await broker.admin?.("eval", `sys:${what}(list_to_existing_atom("%2F_${queue}")).`);
  }
});
