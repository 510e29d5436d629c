import { expect, test } from "vitest";
import { started } from "./support/broker.ts";
import { bind, type Client, connect, eventually, quiet, solace } from "./support/client.ts";

function fill(client: Client, queue: string, count: number): string[] {
  const bodies = Array.from({ length: count }, (_, index) => `m${index}`);
  for (const body of bodies) client.publish(queue, body);
  return bodies;
}

test("what is published to a queue is confirmed one by one and delivered in order", async () => {
  const broker = await started();
  broker.createQueue("q");
  const client = await connect(broker);
  const bodies = fill(client, "q", 200);
  await eventually("confirmation", () => client.confirmed.length === 200);
  expect(client.confirmed).toEqual(bodies);
  const consumer = await bind(client, "q");
  await eventually("delivery", () => consumer.bodies.length === 200);
  expect(consumer.bodies).toEqual(bodies);
  expect(broker.depth("q")).toEqual({ ready: 0, unacknowledged: 200, consumers: 1 });
  for (const message of consumer.messages) message.acknowledge();
  await eventually("acknowledgement", () => broker.depth("q").unacknowledged === 0);
  expect(broker.stats).toMatchObject({ published: 200, delivered: 200, acknowledged: 200 });
});

test("acknowledgements out of order take out what they name, and nothing between", async () => {
  const broker = await started();
  broker.createQueue("q");
  const client = await connect(broker);
  fill(client, "q", 10);
  const consumer = await bind(client, "q");
  await eventually("delivery", () => consumer.bodies.length === 10);
  for (const index of [7, 1, 3]) consumer.messages[index]?.acknowledge();
  await eventually("acknowledgement", () => broker.depth("q").unacknowledged === 7);
  consumer.consumer.disconnect();
  await eventually("leave", () => consumer.events.includes("DOWN"));
  const next = await bind(client, "q");
  await eventually("redelivery", () => next.bodies.length === 7);
  expect(next.bodies).toEqual(["m0", "m2", "m4", "m5", "m6", "m8", "m9"]);
  expect(next.messages.every((message) => message.isRedelivered())).toBe(true);
});

test("a consumer gets no more than it asks for, and more as it takes", async () => {
  const broker = await started();
  broker.createQueue("q");
  const client = await connect(broker);
  fill(client, "q", 20);
  const consumer = await bind(client, "q", { windowSize: 5 });
  consumer.consumer.stop();
  await quiet();
  const taken = consumer.bodies.length;
  expect(broker.stats.delivered).toBeLessThanOrEqual(taken + 5);
  consumer.consumer.start();
  await eventually("the rest", () => consumer.bodies.length === 20);
});

test("a consumer has at most so many unacknowledged as the queue allows", async () => {
  const broker = await started();
  broker.createQueue("q", { maxDeliveredUnacked: 4 });
  const client = await connect(broker);
  fill(client, "q", 10);
  const consumer = await bind(client, "q");
  await quiet();
  expect(consumer.bodies).toEqual(["m0", "m1", "m2", "m3"]);
  consumer.messages[2]?.acknowledge();
  await eventually("one more", () => consumer.bodies.length === 5);
  await quiet();
  expect(consumer.bodies).toHaveLength(5);
});

test("an exclusive queue serves the first consumer, and the next when it leaves", async () => {
  const broker = await started();
  broker.createQueue("q", { access: "exclusive" });
  const one = await connect(broker);
  const two = await connect(broker);
  const first = await bind(one, "q");
  const second = await bind(two, "q");
  await eventually("the first to be active", () => first.events.includes("ACTIVE"));
  fill(one, "q", 3);
  await eventually("delivery", () => first.bodies.length === 3);
  expect(second.bodies).toEqual([]);
  expect(second.events).not.toContain("ACTIVE");
  first.consumer.disconnect();
  await eventually("the second to get all", () => second.bodies.length === 3);
  expect(second.events).toContain("ACTIVE");
});

test("a non-exclusive queue serves its consumers in turn", async () => {
  const broker = await started();
  broker.createQueue("q", { access: "non-exclusive" });
  const client = await connect(broker);
  const first = await bind(client, "q");
  const second = await bind(client, "q");
  fill(client, "q", 10);
  await eventually("delivery", () => first.bodies.length + second.bodies.length === 10);
  expect(first.bodies).toHaveLength(5);
  expect(second.bodies).toHaveLength(5);
});

test("a queue takes what is published to the topics it subscribes to", async () => {
  const broker = await started();
  broker.createQueue("all");
  broker.createQueue("berlin");
  broker.subscribe("all", "orders/>");
  const client = await connect(broker);
  const berlin = await bind(client, "berlin");
  const topic = solace.SolclientFactory.createTopicDestination("orders/*/berlin");
  berlin.consumer.addSubscription(topic, "key", 5_000);
  await eventually("the subscription", () => berlin.events.includes("SUBSCRIPTION_OK"));
  client.publish("topic:orders/1/berlin", "a");
  client.publish("topic:orders/2/paris", "b");
  client.publish("topic:news", "c");
  await eventually("confirmation", () => client.confirmed.length === 3);
  expect(broker.depth("all").ready).toBe(2);
  expect(berlin.bodies).toEqual(["a"]);
  expect(berlin.messages[0]?.getDestination()?.getName()).toBe("orders/1/berlin");
  berlin.consumer.removeSubscription(topic, "key", 5_000);
  await eventually(
    "its end",
    () => berlin.events.filter((name) => name === "SUBSCRIPTION_OK").length === 2,
  );
  client.publish("topic:orders/3/berlin", "d");
  await eventually("confirmation", () => client.confirmed.length === 4);
  await quiet();
  expect(berlin.bodies).toEqual(["a"]);
});

test("what no queue takes is confirmed, or rejected where that is asked for", async () => {
  const lenient = await connect(await started());
  lenient.publish("topic:nobody", "a");
  await eventually("confirmation", () => lenient.confirmed.length === 1);
  const strict = await connect(await started({ rejectUnmatched: true }));
  strict.publish("topic:nobody", "a");
  await eventually("rejection", () => strict.rejected.length === 1);
  expect(strict.rejected).toEqual([{ key: "a", text: "No Subscription Match" }]);
});

test("rejected is what is too large, over quota or for no queue; its neighbours are not", async () => {
  const broker = await started();
  broker.createQueue("small", { maxMessageSize: 10 });
  broker.createQueue("full", { quotaMb: 0 });
  const client = await connect(broker);
  client.publish("small", "good");
  client.publish("small", "much too large");
  client.publish("missing", "lost");
  client.publish("full", "late");
  client.publish("small", "fine");
  await eventually("answers", () => client.confirmed.length + client.rejected.length === 5);
  expect(client.confirmed).toEqual(["good", "fine"]);
  expect(client.rejected).toEqual([
    { key: "much too large", text: "Document Is Too Large" },
    { key: "lost", text: "Queue Not Found" },
    { key: "late", text: "Spool Over Quota" },
  ]);
});

test("a topic endpoint takes what its consumer's topic matches", async () => {
  const broker = await started();
  broker.createTopicEndpoint("te");
  const client = await connect(broker);
  const consumer = await bind(client, "te", {
    queueDescriptor: { name: "te", type: solace.QueueType.TOPIC_ENDPOINT, durable: true },
    topicEndpointSubscription: solace.SolclientFactory.createTopicDestination("orders/>"),
  });
  client.publish("topic:orders/1", "a");
  client.publish("topic:news", "b");
  await eventually("delivery", () => consumer.bodies.length === 1);
  await eventually("confirmation", () => client.confirmed.length === 2);
  expect(consumer.bodies).toEqual(["a"]);
});

test("clients create and delete queues", async () => {
  const broker = await started();
  const client = await connect(broker);
  const descriptor = new solace.QueueDescriptor({
    name: "made",
    type: solace.QueueType.QUEUE,
    durable: true,
  });
  const count = (name: string) => client.events.filter((event) => event === name).length;
  const wishes = {
    accessType: solace.QueueAccessType.NONEXCLUSIVE,
    maxMessageRedelivery: 2,
    maxMessageSize: 10,
  };
  client.session.provisionEndpoint(descriptor, wishes, false, "key");
  await eventually("creation", () => count("PROVISION_OK") === 1);
  expect(broker.depth("made").ready).toBe(0);
  client.session.provisionEndpoint(descriptor, {}, false, "key");
  await eventually("refusal", () => count("PROVISION_ERROR") === 1);
  client.publish("made", "longer than allowed");
  await eventually("rejection", () => client.rejected.length === 1);
  const consumer = await bind(client, "made");
  client.session.deprovisionEndpoint(descriptor, false, "key");
  await eventually("deletion", () => count("PROVISION_OK") === 2);
  await eventually("the end of its consumer", () => consumer.events.includes("DOWN_ERROR"));
  expect(() => broker.depth("made")).toThrow(/one that was created/);
});
