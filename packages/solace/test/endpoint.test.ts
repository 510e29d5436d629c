import { describe, expect, test } from "vitest";
import {
  connectTo,
  eventually,
  fill,
  publish,
  publisherOf,
  quiet,
  solace,
  started,
  subscribed,
} from "./support/solace.ts";

describe("a consumer that the broker unbinds", () => {
  test.for(["Queue Shutdown", "Service Unavailable", "Replay Started", "some reason"])(
    "because of %s is bound again in a new session, and what was in hand is stale",
    async (text) => {
      const { broker } = await started();
      broker.createQueue("q");
      await fill(broker, "q", 3);
      const { inbox } = await subscribed(broker, "q");
      await eventually("delivery", () => inbox.deliveries.length === 3);
      broker.unbind("q", { code: 503, text });
      await eventually("redelivery", () => inbox.deliveries.length === 6);
      expect(inbox.endedSessions).toHaveLength(1);
      for (const delivery of inbox.deliveries.slice(0, 3)) {
        expect(delivery.session.ended).toBe(true);
        expect(delivery.settle("ack")).toBe("stale");
      }
      for (const delivery of inbox.deliveries.slice(3)) {
        expect(delivery.redelivered).toBe(true);
        expect(delivery.settle("ack")).toBe("settled");
      }
      await eventually("acknowledgement", () => broker.stats.acknowledged === 3);
      expect(inbox.causes[0]?.message).toContain(text);
    },
  );

  test("comes back when its queue was shut down and is enabled again", async () => {
    const { broker } = await started();
    broker.createQueue("q");
    const { inbox } = await subscribed(broker, "q");
    broker.shutDown("q");
    await eventually("refusals", () => inbox.causes.length > 3);
    expect(inbox.causes.at(-1)).toMatchObject({ code: "ACCESS_REFUSED" });
    await fill(broker, "q", 1);
    broker.enable("q");
    await eventually("delivery", () => inbox.deliveries.length === 1);
    expect(inbox.failures).toEqual([]);
  });

  test("ends the subscription when its queue was deleted, and says so", async () => {
    const { broker } = await started();
    broker.createQueue("q");
    const { inbox } = await subscribed(broker, "q");
    broker.deleteQueue("q");
    await eventually("its end", () => inbox.failures.length === 1);
    expect(inbox.failures[0]).toMatchObject({ code: "SUBSCRIPTION_FAILED" });
    expect(inbox.states.at(-1)).toBe("closed");
  });
});

describe("an exclusive queue", () => {
  test("that has turned to another member meanwhile ends the session of the one that had it", async () => {
    const { broker } = await started();
    broker.createQueue("q", { access: "exclusive" });
    await fill(broker, "q", 3);
    const member = (userName: string) =>
      subscribed(broker, "q", { connect: connectTo(broker, { userName }) });
    const first = await member("first");
    await eventually("delivery", () => first.inbox.deliveries.length === 3);
    const second = await member("second");
    broker.faults.login = ({ userName }) =>
      userName === "first" ? { code: 503, text: "Too Many Clients" } : undefined;
    broker.cut();
    await eventually("the second to have them", () => second.inbox.deliveries.length === 3);
    expect(first.inbox.endedSessions).toEqual([]);
    broker.faults.login = undefined;
    await eventually(
      "the end of the first's session",
      () => first.inbox.endedSessions.length === 1,
    );
    for (const delivery of first.inbox.deliveries) expect(delivery.settle("ack")).toBe("stale");
    for (const delivery of second.inbox.deliveries) expect(delivery.settle("ack")).toBe("settled");
    await eventually("acknowledgement", () => broker.stats.acknowledged === 3);
    await eventually("the first to stand by again", () => broker.depth("q").consumers === 2);
    await second.subscription.close();
    await fill(broker, "q", 1);
    await eventually("its turn", () => first.inbox.deliveries.length === 4);
  });

  test("that a member waits for without having had anything costs no session", async () => {
    const { broker } = await started();
    broker.createQueue("q", { access: "exclusive" });
    const first = await subscribed(broker, "q");
    const second = await subscribed(broker, "q");
    await first.subscription.close();
    await fill(broker, "q", 1);
    await eventually("its turn", () => second.inbox.deliveries.length === 1);
    expect(second.inbox.endedSessions).toEqual([]);
  });
});

describe("provisioning", () => {
  test("creates the queue with its properties, subscribes it to topics, and leaves it when it is there", async () => {
    const { broker, log } = await started();
    const provision = {
      properties: {
        accessType: solace.QueueAccessType.NONEXCLUSIVE,
        permissions: solace.QueuePermissions.CONSUME,
      },
      topics: ["orders/*/berlin", "returns/>"],
    };
    const { inbox, subscription } = await subscribed(broker, "made", { provision });
    const publisher = publisherOf(broker, { destination: "topic" });
    for (const topic of ["orders/1/berlin", "orders/2/paris", "returns/1/2"]) {
      await publisher.publish(topic, [{ body: Buffer.from(topic) }]);
    }
    await eventually("delivery", () => inbox.deliveries.length === 2);
    expect(inbox.bodies).toEqual(["orders/1/berlin", "returns/1/2"]);
    expect(inbox.deliveries.map(({ message }) => message.destination)).toEqual(inbox.bodies);
    inbox.settleAll();
    await subscription.close();
    await subscribed(broker, "made", { provision });
    expect(log.filter((line) => line.endsWith('created queue "made"'))).toHaveLength(1);
  });

  test("is not done unasked", async () => {
    const { broker } = await started();
    await expect(subscribed(broker, "missing")).rejects.toMatchObject({ code: "SOURCE_MISSING" });
    expect(() => broker.depth("missing")).toThrow();
  });
});

test("a topic endpoint is consumed with its topic", async () => {
  const { broker } = await started();
  broker.createTopicEndpoint("te");
  const { inbox } = await subscribed(broker, "te", { topic: "orders/>" });
  const publisher = publisherOf(broker, { destination: "topic" });
  await publisher.publish("orders/1", [{ body: Buffer.from("a") }]);
  await publisher.publish("news", [{ body: Buffer.from("b") }]);
  await eventually("delivery", () => inbox.deliveries.length === 1);
  await quiet();
  expect(inbox.bodies).toEqual(["a"]);
  expect(inbox.deliveries[0]?.settle("ack")).toBe("settled");
  await eventually("acknowledgement", () => broker.stats.acknowledged === 1);
});

test("a partitioned queue keeps each key at one member, in order, also when a member joins", async () => {
  const { broker } = await started();
  broker.createQueue("q", { access: "non-exclusive", partitions: 8 });
  const keys = Array.from({ length: 20 }, (_, index) => `key-${index}`);
  const round = (number: number) =>
    keys.map((key) => ({ body: Buffer.from(`${key}/${number}`), key }));
  const one = await subscribed(broker, "q", { partitioned: true, window: 100 });
  await publish(broker, "q", ...round(0));
  await eventually("delivery", () => one.inbox.deliveries.length === 20);
  const two = await subscribed(broker, "q", { partitioned: true, window: 100 });
  one.inbox.settleAll();
  await publish(broker, "q", ...round(1), ...round(2));
  await eventually(
    "delivery",
    () => one.inbox.deliveries.length + two.inbox.deliveries.length === 60,
  );
  expect(two.inbox.deliveries.length).toBeGreaterThan(0);
  for (const key of keys) {
    const of = (bodies: readonly string[]) => bodies.filter((body) => body.startsWith(`${key}/`));
    const all = [...of(one.inbox.bodies), ...of(two.inbox.bodies)];
    expect(all).toEqual([`${key}/0`, `${key}/1`, `${key}/2`]);
    expect(of(two.inbox.bodies).length % 2).toBe(0);
  }
});
