import { describe, expect, test } from "vitest";
import { Inbox } from "./support/inbox.ts";
import { useKafka, withKafka } from "./support/kafka.ts";

describe.skipIf(!withKafka)("where a group starts on Apache Kafka", () => {
  const kafka = useKafka();

  const at = (second: number): string => `${1_700_000_000_000 + second * 1_000}`;

  test("the beginning, unless told otherwise", async () => {
    const topic = await kafka.topic();
    await kafka.produce(topic, ["a", "b"]);
    const { inbox } = await kafka.subscribe(topic);
    await inbox.received(2);
    expect(inbox.bodies).toEqual(["a", "b"]);
  });

  test("the end: what was there before is not delivered, what comes is", async () => {
    const topic = await kafka.topic(2);
    await kafka.produce(topic, [
      { value: "old", partition: 0 },
      { value: "old", partition: 1 },
    ]);
    const { inbox } = await kafka.subscribe(topic, { startFrom: "end" });
    // The end is looked up after the group has let the member in.
    for (let number = 0; inbox.deliveries.length < 2; number++) {
      await kafka.produce(topic, [
        { value: `new ${number}`, partition: 0 },
        { value: `new ${number}`, partition: 1 },
      ]);
    }
    expect(inbox.bodies).not.toContain("old");
  });

  test("a time: with the first record from then on, or at the end where there is none", async () => {
    const topic = await kafka.topic(2);
    await kafka.produce(topic, [
      { value: "a1", partition: 0, timestamp: at(1) },
      { value: "a2", partition: 0, timestamp: at(2) },
      { value: "a3", partition: 0, timestamp: at(3) },
      { value: "b1", partition: 1, timestamp: at(1) },
    ]);
    const { inbox } = await kafka.subscribe(topic, { startFrom: new Date(Number(at(2))) });
    await inbox.received(2);
    await kafka.produce(topic, [{ value: "b4", partition: 1, timestamp: at(4) }]);
    await inbox.received(3);
    expect(inbox.bodies).toEqual(["a2", "a3", "b4"]);
  });

  test("a large backlog before the start is passed over, not delivered", async () => {
    const topic = await kafka.topic();
    const value = "x".repeat(1_000);
    for (let batch = 0; batch < 4; batch++) {
      await kafka.produce(
        topic,
        Array.from({ length: 800 }, () => ({ value, timestamp: at(batch) })),
      );
    }
    await kafka.produce(topic, [{ value: "here", timestamp: at(100) }]);
    const { inbox } = await kafka.subscribe(topic, { startFrom: new Date(Number(at(50))) });
    await inbox.received(1);
    expect(inbox.bodies).toEqual(["here"]);
  });

  test.each(["beginning", "end"] as const)(
    "what the group has committed comes before %s",
    async (startFrom) => {
      const topic = await kafka.topic();
      await kafka.produce(topic, ["a", "b", "c"]);
      const first = await kafka.subscribe(topic);
      await first.inbox.received(3);
      first.inbox.deliveries[0]?.settle("ack");
      await first.subscription.close();
      expect(await kafka.committed(topic)).toEqual([1]);
      const second = await kafka.subscribe(topic, { startFrom });
      await second.inbox.received(2);
      expect(second.inbox.bodies).toEqual(["b", "c"]);
    },
  );

  test("elsewhere, when the group's offsets are set while it has no members", async () => {
    const topic = await kafka.topic();
    await kafka.produce(topic, ["a", "b", "c"]);
    const first = await kafka.subscribe(topic, { completionsInMetadata: true });
    await first.inbox.received(3);
    for (const index of [0, 2]) first.inbox.deliveries[index]?.settle("ack");
    await first.subscription.close();
    const partitions = [{ partition: 0, offset: "1" }];
    await kafka.admin.setOffsets({ groupId: topic, topic, partitions });
    const second = await kafka.subscribe(topic, { completionsInMetadata: true });
    await second.inbox.received(2); // What was done of them belonged to the offset before.
    expect(second.inbox.bodies).toEqual(["b", "c"]);
  });

  test("the start is kept, once something came: a member that takes over begins there", async () => {
    const topic = await kafka.topic();
    await kafka.produce(topic, ["old"]);
    const inbox = new Inbox();
    const first = await kafka.subscribe(topic, { startFrom: "end", inbox, window: 1 });
    while (inbox.deliveries.length === 0) await kafka.produce(topic, ["new"]);
    await first.subscription.close(); // Nothing was settled.
    const second = await kafka.subscribe(topic, { startFrom: "end" });
    await second.inbox.received(1);
    expect(second.inbox.bodies[0]).toBe("new");
  });
});
