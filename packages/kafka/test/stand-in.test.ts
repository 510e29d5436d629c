import { kafkaSubscriber } from "@lab/kafka";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { Inbox } from "./support/inbox.ts";
import { type StandInConsumer, standIn } from "./support/stand-in.ts";

const topic = "t";

afterEach(() => {
  vi.useRealTimers();
});

async function subscribed({ partitions = 1, window = 10, commitInterval = 500 } = {}) {
  const kafka = standIn(partitions);
  const all = Array.from({ length: partitions }, (_, partition) => partition);
  let members = 0;
  kafka.onRun = (consumer) => consumer.join(`member-${members++}`, topic, all);
  const inbox = new Inbox();
  const subscriber = kafkaSubscriber({ kafka: kafka.kafka, groupId: "g", commitInterval });
  const subscription = await subscriber.subscribe(topic, { window }, inbox);
  onTestFinished(() => subscription.close());
  const consumer = kafka.consumers[0] as StandInConsumer;
  return { kafka, consumer, inbox, subscription };
}

describe("what no broker can be made to do (a stand-in for kafkajs)", () => {
  test("every setting of kafkajs's retries is given: its own depend on NODE_ENV; it never restarts by itself", async () => {
    const { consumer } = await subscribed();
    const { retry, allowAutoTopicCreation, maxWaitTimeInMs } = consumer.config;
    expect(Object.keys(retry ?? {}).sort()).toEqual([
      "factor",
      "initialRetryTime",
      "maxRetryTime",
      "multiplier",
      "restartOnFailure",
      "retries",
    ]);
    expect(await retry?.restartOnFailure?.(new Error())).toBe(false);
    expect(allowAutoTopicCreation).toBe(false);
    expect(maxWaitTimeInMs).toBe(250);
    expect(consumer.run).toMatchObject({ autoCommit: false, eachBatchAutoResolve: false });
  });

  test("heartbeats are sent while kafkajs is held in a batch, and not after", async () => {
    const { consumer, inbox } = await subscribed({ window: 1 });
    inbox.onDelivery = () => {};
    const held = consumer.batch(topic, 0, [0, 1]);
    await expect.poll(() => consumer.heartbeats, { timeout: 5_000 }).toBeGreaterThan(0);
    inbox.onDelivery = (delivery) => delivery.settle("ack");
    inbox.deliveries[0]?.settle("ack");
    await held;
    const { heartbeats } = consumer;
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(consumer.heartbeats).toBe(heartbeats);
  });

  test("a crash for good of kafkajs is not the end: a new member is made, and the sessions end", async () => {
    const { kafka, consumer, inbox } = await subscribed();
    await consumer.batch(topic, 0, [0]);
    await inbox.received(1);
    consumer.crash(new TypeError("Cannot read properties of undefined"));
    expect(inbox.ended).toHaveLength(1);
    await expect.poll(() => kafka.consumers.length, { timeout: 5_000 }).toBe(2);
    expect(consumer.disconnected).toBe(true);
    await kafka.consumers[1]?.batch(topic, 0, [0]);
    await inbox.received(2);
    expect(inbox.deliveries[1]?.settle("ack")).toBe("settled");
    expect(inbox.states.map(({ state }) => state)).toEqual([
      "connecting",
      "connected",
      "reconnecting",
      "connected",
    ]);
  });

  test("crashes of a kind that nobody knows, with no record in between, end the subscription", async () => {
    const { kafka, inbox } = await subscribed();
    kafka.onRun = (consumer) => {
      consumer.join("m", topic, [0]);
      setImmediate(() => consumer.crash(new RangeError("Index out of range")));
    };
    kafka.consumers[0]?.crash(new RangeError("Index out of range"));
    await expect.poll(() => inbox.failures.length, { timeout: 25_000 }).toBe(1);
    expect(inbox.failures[0]).toMatchObject({
      code: "SUBSCRIPTION_FAILED",
      message: expect.stringContaining("Index out of range"),
    });
    expect(kafka.consumers).toHaveLength(6);
    expect(kafka.consumers.every(({ disconnected }) => disconnected)).toBe(true);
  });

  test("kafkajs that gives no sign of life any more is replaced", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
    const { kafka, consumer, inbox } = await subscribed();
    await vi.advanceTimersByTimeAsync(170_000);
    consumer.emit("heartbeat", {});
    await vi.advanceTimersByTimeAsync(170_000);
    expect(inbox.ended).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(20_000);
    vi.useRealTimers();
    await expect.poll(() => kafka.consumers.length, { timeout: 5_000 }).toBe(2);
    expect(inbox.ended).toHaveLength(1);
  });

  test("a member given up while other brokers are being fetched from starts anew: what they bring belongs to nobody", async () => {
    const { kafka, consumer, inbox } = await subscribed();
    for (const nodeId of [1, 2]) consumer.emit("fetch_start", { nodeId });
    consumer.join("another", topic, [0]);
    expect(inbox.ended).toHaveLength(1);
    await consumer.batch(topic, 0, [500]);
    await expect.poll(() => kafka.consumers.length, { timeout: 5_000 }).toBe(2);
    await kafka.consumers[1]?.batch(topic, 0, [400]);
    await inbox.received(1);
    expect(inbox.bodies).toEqual(["400"]);
  });

  test("batches of a partition that went to another member are not taken", async () => {
    const { consumer, inbox } = await subscribed({ partitions: 2 });
    consumer.join("member-0", topic, [1]);
    await consumer.batch(topic, 0, [0]);
    await consumer.batch(topic, 1, [0]);
    await inbox.received(1);
    expect(inbox.deliveries.map(({ message }) => Reflect.get(message, "partition"))).toEqual([1]);
  });

  test("a rejoin that kafkajs tells of only by its assigner lets it go on, and holds deliveries back", async () => {
    const { consumer, inbox } = await subscribed({ window: 1 });
    const held = consumer.batch(topic, 0, [0, 1]);
    await inbox.received(1);
    consumer.assigners[0]?.protocol({ topics: [topic] });
    await held;
    inbox.deliveries[0]?.settle("ack");
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(inbox.deliveries).toHaveLength(1);
    consumer.join("member-0", topic, [0]);
    expect(consumer.seeks).toEqual([{ topic, partition: 0, offset: "2" }]);
    await inbox.received(2);
    expect(inbox.ended).toEqual([]);
  });

  test("commits are single requests for partitions that are assigned", async () => {
    const { consumer, inbox } = await subscribed({ partitions: 2 });
    await Promise.all([consumer.batch(topic, 0, [0]), consumer.batch(topic, 1, [0])]);
    await inbox.received(2);
    for (const delivery of inbox.deliveries) delivery.settle("ack");
    const partition = 1;
    consumer.join("member-0", topic, [partition]);
    await expect
      .poll(() => consumer.committed, { timeout: 5_000 })
      .toEqual([{ topics: [{ topic, partitions: [{ partition, offset: "1", metadata: "" }] }] }]);
  });

  test("a commit that fails is not tried again: in another generation it could take back the next owner's", async () => {
    const { consumer, inbox } = await subscribed({ partitions: 2, commitInterval: 20 });
    consumer.refusal = new Error("The group is rebalancing");
    await Promise.all([consumer.batch(topic, 0, [0]), consumer.batch(topic, 1, [0])]);
    await inbox.received(2);
    inbox.onDelivery = (delivery) => delivery.settle("ack");
    for (const delivery of inbox.deliveries) delivery.settle("ack");
    await expect.poll(() => consumer.committed.length, { timeout: 5_000 }).toBeGreaterThan(0);
    consumer.join("member-0", topic, [1]);
    consumer.refusal = undefined;
    const before = consumer.committed.length;
    await expect.poll(() => consumer.committed.length, { timeout: 5_000 }).toBe(before + 1);
    const partition = 1;
    const partitions = [{ partition, offset: "1", metadata: "" }];
    expect(consumer.committed.at(-1)).toEqual({ topics: [{ topic, partitions }] });
    await new Promise((resolve) => setTimeout(resolve, 100)); // Too short could only miss a fault.
    expect(consumer.committed).toHaveLength(before + 1);
  });

  test("records in a format that kafkajs does not know end the subscription", async () => {
    const { kafka, consumer, inbox } = await subscribed();
    const name = "KafkaJSUnsupportedMagicByteInMessageSet";
    consumer.crash(Object.assign(new Error("Unsupported magic byte 3"), { name }));
    await expect.poll(() => inbox.failures.length, { timeout: 5_000 }).toBe(1);
    expect(inbox.failures[0]).toMatchObject({
      code: "SUBSCRIPTION_FAILED",
      message: expect.stringMatching(/magic byte 3.*format/),
    });
    expect(kafka.consumers).toHaveLength(1);
  });
});
