import { expect, test } from "vitest";
import { started } from "./support/broker.ts";
import {
  bind,
  type Client,
  type Consumer,
  connect,
  eventually,
  quiet,
  solace,
} from "./support/client.ts";

const { FAILED, REJECTED } = solace.MessageOutcome;

async function delivered(client: Client, queue: string, count: number): Promise<Consumer> {
  for (let index = 0; index < count; index++) client.publish(queue, `m${index}`);
  const consumer = await bind(client, queue);
  await eventually("delivery", () => consumer.bodies.length === count);
  return consumer;
}

test("with the same ids the client hides what comes again, and old objects acknowledge it", async () => {
  const broker = await started({ redeliveredIds: "same" });
  broker.createQueue("q");
  const client = await connect(broker);
  const { consumer, messages, bodies, events } = await delivered(client, "q", 3);
  broker.cut();
  await eventually("the consumer to be back", () => events.filter((e) => e === "UP").length === 2);
  await quiet();
  expect(bodies).toHaveLength(3);
  for (const message of messages) message.acknowledge();
  await eventually("acknowledgement", () => broker.depth("q").unacknowledged === 0);
  consumer.dispose();
});

test("with new ids it shows what comes again, and only the new objects acknowledge it", async () => {
  const broker = await started({ redeliveredIds: "new" });
  broker.createQueue("q");
  const client = await connect(broker);
  const { messages, bodies } = await delivered(client, "q", 3);
  broker.cut();
  await eventually("redelivery", () => bodies.length === 6);
  expect(bodies.slice(3)).toEqual(["m0", "m1", "m2"]);
  expect(messages.map((message) => message.isRedelivered())).toEqual([
    ...[false, false, false],
    ...[true, true, true],
  ]);
  for (const message of messages.slice(0, 3)) message.acknowledge();
  await quiet();
  expect(broker.depth("q").unacknowledged).toBe(3);
  for (const message of messages.slice(3)) message.acknowledge();
  await eventually("acknowledgement", () => broker.depth("q").unacknowledged === 0);
});

test.for([
  [true, true],
  [false, false],
] as const)(
  "with ids of the spool (%s) a message can be told although its id is new",
  async ([spoolIds, expected]) => {
    const broker = await started({ redeliveredIds: "new", spoolIds });
    broker.createQueue("q");
    const client = await connect(broker);
    const { messages } = await delivered(client, "q", 1);
    broker.cut();
    await eventually("redelivery", () => messages.length === 2);
    const [before, after] = messages.map((message) => `${message.getReplicationGroupMessageId()}`);
    expect(before === after).toBe(expected);
  },
);

test("a client that has never seen a message gets it, whatever ids it has had", async () => {
  const broker = await started({ redeliveredIds: "same" });
  broker.createQueue("q", { access: "non-exclusive" });
  const one = await connect(broker);
  const first = await delivered(one, "q", 3);
  const two = await connect(broker);
  one.publish("q", "later");
  const second = await bind(two, "q");
  await quiet();
  one.session.dispose();
  await eventually("all", () => second.bodies.length + Number(first.bodies.includes("later")) >= 3);
  await eventually("what the first had", () =>
    ["m0", "m1", "m2"].every((b) => second.bodies.includes(b)),
  );
  for (const message of second.messages) message.acknowledge();
  await eventually("acknowledgement", () => broker.depth("q").unacknowledged === 0);
});

test("a failed message comes again, to the same consumer too", async () => {
  const broker = await started({ redeliveredIds: "same" });
  broker.createQueue("q");
  const client = await connect(broker);
  const { messages, bodies } = await delivered(client, "q", 2);
  messages[0]?.settle(FAILED);
  await eventually("redelivery", () => bodies.length === 3);
  expect(bodies[2]).toBe("m0");
  expect(messages[2]?.isRedelivered()).toBe(true);
  expect(broker.stats).toMatchObject({ failed: 1, delivered: 3 });
});

test("deliveries are counted where the queue does", async () => {
  const broker = await started();
  broker.createQueue("counts", { deliveryCount: true });
  broker.createQueue("does not");
  const client = await connect(broker);
  const { messages } = await delivered(client, "counts", 1);
  messages[0]?.settle(FAILED);
  await eventually("redelivery", () => messages.length === 2);
  expect(messages.map((message) => message.getDeliveryCount())).toEqual([1, 2]);
  const other = await delivered(client, "does not", 1);
  expect(() => other.messages[0]?.getDeliveryCount()).toThrow();
});

test("a message that fails too often goes to the dead message queue, if it may", async () => {
  const broker = await started();
  broker.createQueue("#DEAD_MSG_QUEUE");
  broker.createQueue("q", { maxRedelivery: 2 });
  const client = await connect(broker);
  client.publish("q", "eligible");
  client.publish("q", "not", { deadMessageQueueEligible: false });
  const { consumer, messages } = await bind(client, "q");
  const settled = new Set<solace.Message>();
  await eventually("both to be gone", () => {
    for (const message of messages) {
      if (settled.has(message)) continue;
      settled.add(message);
      message.settle(FAILED);
    }
    return messages.length === 6 && broker.depth("q").unacknowledged === 0;
  });
  expect(broker.depth("q").ready).toBe(0);
  expect(broker.depth("#DEAD_MSG_QUEUE").ready).toBe(1);
  consumer.dispose();
});

test("a rejected message goes there at once", async () => {
  const broker = await started();
  broker.createQueue("dead");
  broker.createQueue("q", { deadMessageQueue: "dead" });
  const client = await connect(broker);
  const { messages, bodies } = await delivered(client, "q", 2);
  messages[0]?.settle(REJECTED);
  await eventually("its end", () => broker.depth("dead").ready === 1);
  await quiet();
  expect(bodies).toHaveLength(2);
  expect(broker.stats.rejected).toBe(1);
});

test("a broker without negative acknowledgements says so", async () => {
  const broker = await started({ nacks: false });
  const client = await connect(broker);
  const { AD_APP_ACK_FAILED, GUARANTEED_MESSAGE_CONSUME } = solace.CapabilityType;
  expect(client.session.isCapable(AD_APP_ACK_FAILED)).toBe(false);
  expect(client.session.isCapable(GUARANTEED_MESSAGE_CONSUME)).toBe(true);
  const other = await connect(await started());
  expect(other.session.isCapable(AD_APP_ACK_FAILED)).toBe(true);
});
