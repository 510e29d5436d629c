import type { RunningBroker } from "@lab/testbed";
import { eventually, Inbox } from "@lab/testbed/testing";
import { type Channel, connect } from "amqplib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { publish, publisher, queueAt, raw, ready, subscribe, texts } from "./support/clients.ts";
import { rabbitMq, withRabbitMq } from "./support/rabbitmq.ts";

describe.skipIf(!withRabbitMq)("losses", () => {
  let broker: RunningBroker;
  beforeAll(async () => {
    broker = await rabbitMq();
  });
  afterAll(() => broker.stop());

  const inHand = async () => {
    const { url } = broker;
    const queue = await queueAt(broker.directUrl);
    await publish(url, queue, texts(3));
    const subscribed = await subscribe({ url, queue });
    await subscribed.inbox.received(3);
    return { ...subscribed, queue };
  };
  /** What was in hand is stale and comes again, in order, on a new session. */
  const comesAgain = async (inbox: Inbox) => {
    await inbox.received(6);
    const [before, after] = [inbox.deliveries.slice(0, 3), inbox.deliveries.slice(3, 6)];
    for (const delivery of before) {
      expect(delivery.settle("ack")).toBe("stale");
      expect(delivery.session.signal.reason).toMatchObject({ code: "SESSION_ENDED" });
    }
    expect(after.map(({ message }) => `${message.body}`)).toEqual(["0", "1", "2"]);
    for (const delivery of after) expect(delivery.settle("ack")).toBe("settled");
    expect(inbox.ended).toEqual([before[0]?.session]);
    expect(inbox.states.map(({ state }) => state)).toEqual([
      "connecting",
      "connected",
      "reconnecting",
      "connected",
    ]);
    return inbox.states[2]?.cause;
  };

  test("kill -9 ends no process: nobody else listens to the connection's errors", async () => {
    const { inbox } = await inHand();
    const idle = publisher(broker.url);
    await idle.publish(await queueAt(broker.url), texts(1));
    // RabbitMQ writes of queues up to two seconds later: one killed before would come back without them.
    await broker.admin?.("eval", "mnesia:sync_log().");
    await broker.kill?.();
    await inbox.state("reconnecting");
    await broker.start?.();
    await inbox.received(6);
    expect(inbox.states[2]?.cause).toMatchObject({ code: "CONNECTION_LOST" });
    for (const delivery of inbox.deliveries.slice(3)) delivery.settle("ack");
    await idle.publish(await queueAt(broker.url), texts(1));
  });

  test("a connection that the broker closes in order, without an error event, ends the session too", async () => {
    const { inbox } = await inHand();
    await broker.admin?.("close_all_connections", "maintenance");
    const cause = await comesAgain(inbox);
    expect(cause).toMatchObject({ code: "CONNECTION_LOST" });
    expect(cause?.message).toContain("maintenance");
  });

  test("an error of the channel costs a session, not the connection's other users or the process", async () => {
    const { url } = broker;
    const queue = await queueAt(url);
    await publish(url, queue, texts(3));
    let channel: Channel | undefined;
    const { inbox } = await subscribe({
      url,
      queue,
      declare: async (opened, name) => {
        channel = opened;
        await opened.checkQueue(name);
      },
    });
    await inbox.received(3);
    channel?.ack({ fields: { deliveryTag: 77 } } as Parameters<Channel["ack"]>[0]);
    const cause = await comesAgain(inbox);
    expect(cause?.message).toContain("unknown delivery tag 77");
  });

  test("a sink that throws costs a session, not the process", async () => {
    const { url } = broker;
    const queue = await queueAt(url);
    await publish(url, queue, texts(1));
    const inbox = new Inbox();
    inbox.onDelivery = () => {
      if (inbox.deliveries.length === 1) throw new Error("a fault of the sink");
    };
    await subscribe({ url, queue, inbox });
    await inbox.received(2);
    expect(inbox.deliveries[1]?.settle("ack")).toBe("settled");
    expect(inbox.states[2]?.cause?.message).toContain("a fault of the sink");
  });

  test("a connection that has gone silent is given up by the heartbeat", async () => {
    const queue = await queueAt(broker.directUrl);
    const { inbox } = await subscribe({
      url: broker.url,
      queue,
      connect: (defaults) => connect(`${broker.url}?heartbeat=1`, { ...defaults }),
      connectTimeout: 2_000,
    });
    broker.pause();
    await inbox.state("reconnecting");
    expect(inbox.states[2]?.cause?.message).toContain("Heartbeat timeout");
    await inbox.state("reconnecting", 2); // The next one does not get through either.
    broker.resume();
    await inbox.state("connected", 2);
    await publish(broker.url, queue, texts(1));
    await inbox.received(1);
  });

  test("a handler's late result reaches nobody on the new session", async () => {
    const { inbox, queue, subscription } = await inHand();
    await broker.cut();
    await inbox.received(6);
    for (const delivery of inbox.deliveries.slice(0, 3)) {
      expect(delivery.settle("ack")).toBe("stale");
      expect(delivery.settle("reject")).toBe("repeated");
    }
    await subscription.close();
    const { channel } = await raw(broker.directUrl);
    expect(await ready(channel, queue)).toBe(3);
  });

  test("a queue that is deleted ends the subscription for good", async () => {
    const { url } = broker;
    const queue = await queueAt(url);
    const { inbox } = await subscribe({ url, queue });
    await (await raw(url)).channel.deleteQueue(queue);
    await eventually("the failure", () => inbox.failures.length > 0);
    expect(inbox.failures).toMatchObject([
      { code: "SUBSCRIPTION_FAILED", cause: { code: "SOURCE_MISSING" } },
    ]);
    expect(inbox.failures[0]?.message).toContain(queue);
  });

  test("a queue that is deleted is declared again where `declare` was given", async () => {
    const { url } = broker;
    const queue = await queueAt(url);
    const { inbox } = await subscribe({
      url,
      queue,
      declare: (channel, name) => channel.assertQueue(name),
    });
    await (await raw(url)).channel.deleteQueue(queue);
    await inbox.state("connected", 2);
    await publish(url, queue, texts(1));
    await inbox.received(1);
    expect(inbox.failures).toEqual([]);
  });

  test("credentials that are refused later are tried for ever: they may come back", async () => {
    const { url } = broker;
    const queue = await queueAt(url);
    let right = true;
    const { inbox } = await subscribe({
      url,
      queue,
      connect: (defaults) =>
        connect(right ? url : url.replace("//", "//guest:wrong@"), { ...defaults }),
    });
    right = false;
    await broker.cut();
    await eventually("two refusals", () => {
      return inbox.states.filter(({ cause }) => hasCode(cause, "ACCESS_REFUSED")).length >= 2;
    });
    right = true;
    await inbox.state("connected", 2);
    expect(inbox.failures).toEqual([]);
  });

  test("the next host is tried when one is away", async () => {
    const { url } = broker;
    const queue = await queueAt(url);
    const hosts = ["amqp://127.0.0.1:1", url, "amqp://127.0.0.1:1"];
    const tried: string[] = [];
    const { inbox } = await subscribe({
      url,
      queue,
      connect: hosts.map((host, index) => (defaults) => {
        tried.push(`${index}`);
        return connect(host, { ...defaults });
      }),
    });
    expect(tried).toEqual(["0", "1"]);
    await broker.cut();
    await inbox.state("connected", 2);
    expect(tried).toEqual(["0", "1", "1"]);
  });

  test("stops and closes while it is waiting to connect again", async () => {
    const { url } = broker;
    const queue = await queueAt(url);
    const { inbox, subscription } = await subscribe({
      url,
      queue,
      backoff: { base: 60_000, cap: 60_000 },
    });
    await broker.cut();
    await inbox.state("reconnecting");
    await subscription.stop();
    await subscription.close();
    expect(inbox.states.at(-1)?.state).toBe("closed");
  });

  test("waits longer from one attempt to the next", async () => {
    const { url } = broker;
    const queue = await queueAt(url);
    let away = false;
    const attempts: number[] = [];
    const { inbox } = await subscribe({
      url,
      queue,
      backoff: { base: 40, cap: 10_000 },
      connect: (defaults) => {
        attempts.push(performance.now());
        return connect(away ? "amqp://127.0.0.1:1" : url, { ...defaults });
      },
    });
    away = true;
    await broker.cut();
    await eventually("five more attempts", () => attempts.length >= 6);
    away = false;
    await inbox.state("connected", 2);
    // 40, 80, 160, 320, 640 ms, each half of it at least. A timer never fires early.
    const [, first = 0, , , , last = 0] = attempts;
    expect(last - first).toBeGreaterThan((80 + 160 + 320 + 640) / 2 - 5);
  });
});

function hasCode(error: Error | undefined, code: string): boolean {
  return error !== undefined && "code" in error && error.code === code;
}
