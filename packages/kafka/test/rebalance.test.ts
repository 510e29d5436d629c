import { describe, expect, test } from "vitest";
import { eventually, Inbox } from "./support/inbox.ts";
import { type Subscribed, useKafka, withKafka } from "./support/kafka.ts";
import { ready } from "./support/topics.ts";

const quick = { sessionTimeout: 3_000, heartbeatInterval: 200 };

/** Of each delivery: partition and offset. */
function places(inbox: Inbox): string[] {
  return inbox.deliveries.map(({ message }) => {
    const { partition, offset } = message as unknown as Record<string, unknown>;
    return `${partition}/${offset}`;
  });
}

function partitionOf(place: string): number {
  return Number(place.split("/")[0]);
}

describe.skipIf(!withKafka)("rebalances on Apache Kafka", () => {
  const kafka = useKafka();

  /** `each` records in every partition. */
  async function fill(topic: string, partitions: number, each: number): Promise<void> {
    await kafka.produce(
      topic,
      Array.from({ length: partitions * each }, (_, i) => ({
        value: `${i}`,
        partition: i % partitions,
      })),
    );
  }

  /** Two members of which the first had everything, with nothing settled; what each has is told apart by its inbox. */
  async function twoMembers(topic: string, each: number): Promise<[Subscribed, Subscribed]> {
    const first = await kafka.subscribe(topic, { window: 1_000, consumer: quick });
    await first.inbox.received(4 * each);
    const second = await kafka.subscribe(topic, { window: 1_000, consumer: quick });
    await second.inbox.received(2 * each);
    return [first, second];
  }

  test("partitions that stay are not delivered again, those that go end their sessions", async () => {
    const topic = await kafka.topic(4);
    await fill(topic, 4, 5);
    const [first, second] = await twoMembers(topic, 5);
    expect(first.inbox.ended).toHaveLength(2);
    const moved = new Set(places(second.inbox).map(partitionOf));
    expect(moved.size).toBe(2);
    for (const { message, session } of first.inbox.deliveries) {
      const { partition } = message as unknown as { partition: number };
      expect(session.ended).toBe(moved.has(partition));
    }

    // The fetch of what stayed goes on where it was, though nothing is committed.
    await fill(topic, 4, 1);
    await first.inbox.received(22);
    await second.inbox.received(12);
    for (const { inbox } of [first, second]) {
      const seen = places(inbox);
      expect(new Set(seen).size).toBe(seen.length);
    }
    expect(first.inbox.deliveries.slice(20).every(({ session }) => !session.ended)).toBe(true);
  });

  test("what was in hand of a partition that went is stale, and takes nothing back that its new owner has committed", async () => {
    const topic = await kafka.topic(4);
    await fill(topic, 4, 5);
    const [first, second] = await twoMembers(topic, 5);
    for (const delivery of second.inbox.deliveries) delivery.settle("ack");
    const moved = [...new Set(places(second.inbox).map(partitionOf))];
    await eventually(
      async () => {
        const committed = await kafka.committed(topic);
        return moved.every((partition) => committed[partition] === 5);
      },
      () => "the new owner's commits",
    );
    // The old owner settles only the first of each: were it to commit that, it would be lower.
    for (const delivery of first.inbox.deliveries) {
      const { partition, offset } = delivery.message as unknown as Record<string, unknown>;
      if (offset !== "0") continue;
      const gone = moved.includes(partition as number);
      expect(delivery.settle("ack")).toBe(gone ? "stale" : "settled");
    }
    await first.subscription.close();
    const committed = await kafka.committed(topic);
    for (const partition of [0, 1, 2, 3]) {
      expect(committed[partition]).toBe(moved.includes(partition) ? 5 : 1);
    }
  });

  test("partitions that are added reach a member, without a rebalance event of kafkajs and without repeats", async () => {
    const topic = await kafka.topic(1);
    await fill(topic, 1, 5);
    const { inbox } = await kafka.subscribe(topic, {
      window: 1_000,
      consumer: { ...quick, metadataMaxAge: 300 },
    });
    await inbox.received(5);
    await kafka.admin.createPartitions({ topicPartitions: [{ topic, count: 3 }] });
    await ready(kafka.client(), topic, 3);
    await fill(topic, 3, 5);
    await inbox.received(20);
    const seen = places(inbox);
    expect(new Set(seen).size).toBe(20);
    expect(inbox.ended).toEqual([]);
    expect(inbox.deliveries[0]?.settle("ack")).toBe("settled");
  });

  test("a partition that was paused when it went flows when it comes back", async () => {
    const topic = await kafka.topic(2);
    await fill(topic, 2, 100);
    const inbox = new Inbox();
    // The first record of each partition is stuck, so each is paused after a while.
    inbox.onDelivery = (delivery) => {
      if (Reflect.get(delivery.message, "offset") !== "0") delivery.settle("ack");
    };
    const first = await kafka.subscribe(topic, { window: 10, inbox, consumer: quick });
    await inbox.received(20);
    await new Promise((resolve) => setTimeout(resolve, 2_000)); // Longer than records are held.
    const other = await kafka.subscribe(topic, { window: 10, consumer: quick });
    await other.inbox.received(1);
    await other.subscription.close();
    inbox.onDelivery = (delivery) => delivery.settle("ack");
    for (const delivery of inbox.deliveries) delivery.settle("ack");
    await eventually(
      async () => (await kafka.committed(topic)).every((offset) => offset === 100),
      () => `everything committed; ${inbox.deliveries.length} deliveries`,
    );
    await first.subscription.close();
  });

  test("a member that the group gives up comes back by itself, and its sessions end", async () => {
    const topic = await kafka.topic(2);
    await fill(topic, 2, 5);
    const { inbox } = await kafka.subscribe(topic, {
      window: 1_000,
      consumer: { sessionTimeout: 1_000, heartbeatInterval: 300 },
    });
    await inbox.received(10);
    kafka.broker.pause();
    await new Promise((resolve) => setTimeout(resolve, 2_500)); // The session times out at the broker.
    kafka.broker.resume();
    await inbox.received(20);
    expect(inbox.ended).toHaveLength(2);
    expect(inbox.deliveries[0]?.settle("ack")).toBe("stale");
    expect(inbox.deliveries[10]?.settle("ack")).toBe("settled");
    expect(inbox.failures).toEqual([]);
  });

  test("members with kafkajs's own assigner can be in the group, whoever leads it", async () => {
    const topic = await kafka.topic(4);
    const read: string[] = [];
    const plain = kafka.client({ clientId: "plain" }).consumer({ groupId: topic, ...quick });
    await plain.connect();
    await plain.subscribe({ topic, fromBeginning: true });
    await plain.run({ eachMessage: async ({ message }) => void read.push(`${message.value}`) });
    const ours = [
      await kafka.subscribe(topic, { consumer: quick }),
      await kafka.subscribe(topic, { consumer: quick }),
    ];
    const inboxes = ours.map(({ inbox }) => inbox);
    for (const inbox of inboxes) inbox.onDelivery = (delivery) => delivery.settle("ack");
    await eventually(
      async () => {
        await fill(topic, 4, 1);
        return read.length > 0 && inboxes.every(({ deliveries }) => deliveries.length > 0);
      },
      () => "each member to have records",
    );
    await plain.disconnect();
    const before = inboxes.reduce((sum, { deliveries }) => sum + deliveries.length, 0);
    await eventually(
      async () => {
        await fill(topic, 4, 1);
        const now = inboxes.reduce((sum, { deliveries }) => sum + deliveries.length, 0);
        return now > before + 20;
      },
      () => "the others to have its partitions",
    );
  });
});
