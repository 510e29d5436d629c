import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { eventually, Inbox } from "./support/inbox.ts";
import { useKafka, withKafka } from "./support/kafka.ts";
import { ready } from "./support/topics.ts";

/** Settles what comes. */
function settling(): Inbox {
  const inbox = new Inbox();
  inbox.onDelivery = (delivery) => delivery.settle("ack");
  return inbox;
}

describe.skipIf(!withKafka)("a log with gaps on Apache Kafka", () => {
  const kafka = useKafka();

  test("aborted transactions are not delivered, and their markers are committed over", async () => {
    const topic = await kafka.topic();
    const producer = kafka
      .client()
      .producer({ transactionalId: topic, maxInFlightRequests: 1, idempotent: true });
    await producer.connect();
    onTestFinished(() => producer.disconnect());
    const transact = async (value: string, end: "commit" | "abort"): Promise<void> => {
      const transaction = await producer.transaction();
      await transaction.send({ topic, messages: [{ value }, { value }] });
      await transaction[end]();
    };
    await transact("a", "commit");
    await transact("b", "abort");
    await transact("c", "commit");
    await transact("d", "abort");
    const [{ high: end } = { high: "" }] = await kafka.admin.fetchTopicOffsets(topic);
    expect(end).toBe("12"); // Eight records, four markers.

    const { inbox } = await kafka.subscribe(topic, { inbox: settling(), commitInterval: 50 });
    await eventually(
      async () => (await kafka.committed(topic))[0] === 12,
      () => `12 committed; delivered: ${inbox.bodies}`,
    );
    expect(inbox.bodies).toEqual(["a", "a", "c", "c"]);
    // Nothing but what nobody may see.
    await transact("e", "abort");
    await eventually(
      async () => (await kafka.committed(topic))[0] === 15,
      () => "15 committed",
    );
    expect(inbox.bodies).toEqual(["a", "a", "c", "c"]);
  });

  test("what compaction has removed is committed over, and what it has left is delivered once", async () => {
    const topic = await kafka.topic(1, {
      configEntries: [
        { name: "cleanup.policy", value: "compact" },
        { name: "segment.ms", value: "100" },
        { name: "min.cleanable.dirty.ratio", value: "0.001" },
        { name: "min.compaction.lag.ms", value: "0" },
      ],
    });
    const keys = 7;
    let written = 0;
    const write = async (count: number): Promise<void> => {
      const from = written;
      written += count;
      await kafka.produce(
        topic,
        Array.from({ length: count }, (_, i) => ({
          key: `key-${(from + i) % keys}`,
          value: `${from + i}`,
        })),
      );
    };
    // A segment is closed by the first record that comes later; the open one is not compacted.
    let read: Inbox;
    for (;;) {
      await write(100);
      await sleep(300);
      await write(1);
      read = settling();
      const group = `${topic}-${written}`;
      const reader = await kafka.subscribe(topic, { groupId: group, inbox: read });
      await eventually(
        () => read.bodies.includes(`${written - 1}`),
        () => `the last of ${written}; got ${read.bodies.length}`,
      );
      await reader.subscription.close();
      if (read.bodies.length < written - 200) break;
    }
    const numbers = read.bodies.map(Number);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    // Each key's last one is never removed.
    for (let last = written - keys; last < written; last++) expect(numbers).toContain(last);
    expect(await kafka.committed(topic, `${topic}-${written}`)).toEqual([written]);
  });

  test("records that were deleted beneath the committed offset are passed over", async () => {
    const topic = await kafka.topic();
    await kafka.produce(topic, ["a", "b", "c", "d"]);
    const first = await kafka.subscribe(topic);
    await first.inbox.received(4);
    first.inbox.deliveries[0]?.settle("ack");
    await first.subscription.close();
    await kafka.admin.fetchTopicOffsets(topic); // Or kafkajs would not find the topic.
    await kafka.admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: "3" }] });
    const second = await kafka.subscribe(topic, { inbox: settling(), commitInterval: 50 });
    await eventually(
      async () => (await kafka.committed(topic))[0] === 4,
      () => `4 committed; delivered: ${second.inbox.bodies}`,
    );
    expect(second.inbox.bodies).toEqual(["d"]);
  });

  test("a log that begins anew beneath a running member is read from its beginning", async () => {
    const topic = await kafka.topic();
    await kafka.produce(topic, ["old 0", "old 1", "old 2"]);
    const { inbox } = await kafka.subscribe(topic);
    await inbox.received(3);
    await kafka.admin.deleteTopics({ topics: [topic] });
    await eventually(
      async () => {
        const topics = [{ topic, numPartitions: 1 }];
        return kafka.admin.createTopics({ topics, waitForLeaders: false }).catch(() => false);
      },
      () => "the topic to be there again",
    );
    await ready(kafka.client(), topic, 1);
    await kafka.produce(topic, ["new 0", "new 1"]);
    await inbox.received(5);
    expect(inbox.bodies.slice(3)).toEqual(["new 0", "new 1"]);
    // Offsets of the old log mean nothing in the new one.
    expect(inbox.deliveries[0]?.settle("ack")).toBe("stale");
    expect(inbox.deliveries[3]?.settle("ack")).toBe("settled");
  });
});
