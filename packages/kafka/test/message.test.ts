import { isKafkaMessage, tombstone } from "@lab/kafka";
import { describe, expect, test } from "vitest";
import { useKafka, withKafka } from "./support/kafka.ts";

describe.skipIf(!withKafka)("messages on Apache Kafka", () => {
  const kafka = useKafka();

  test("have the record's key as their key, and none where it has none", async () => {
    const topic = await kafka.topic();
    await kafka.produce(topic, [
      { key: "größe", value: "a" },
      { key: "", value: "b" },
      { key: null, value: "c" },
    ]);
    const { inbox } = await kafka.subscribe(topic);
    await inbox.received(3);
    expect(inbox.deliveries.map(({ message }) => message.key)).toEqual(["größe", "", undefined]);
  });

  test("have headers as text; a name that comes several times is joined", async () => {
    const topic = await kafka.topic();
    const headers = { kind: "invoice", bytes: Buffer.from("ü"), twice: ["a", Buffer.from("b")] };
    await kafka.produce(topic, [{ value: "a", headers }, { value: "b" }]);
    const { inbox } = await kafka.subscribe(topic);
    await inbox.received(2);
    expect(inbox.deliveries.map(({ message }) => message.headers)).toEqual([
      { kind: "invoice", bytes: "ü", twice: "a, b" },
      {},
    ]);
  });

  test("tell a tombstone from an empty value, and carry it on when they are published again", async () => {
    const [topic, copy] = [await kafka.topic(), await kafka.topic()];
    await kafka.produce(topic, [
      { key: "k", value: null },
      { key: "k", value: "" },
    ]);
    const { inbox } = await kafka.subscribe(topic);
    await inbox.received(2);
    const [deleted, empty] = inbox.deliveries.map(({ message }) => message);
    expect(deleted?.body).toBe(tombstone);
    expect(empty?.body).not.toBe(tombstone);
    expect([deleted?.body.length, empty?.body.length]).toEqual([0, 0]);

    for (const message of [deleted, empty]) {
      await kafka
        .publisher()
        .publish(copy, [{ key: "k", body: message?.body ?? Buffer.from("?") }]);
    }
    const copies = await kafka.subscribe(copy);
    await copies.inbox.received(2);
    const [again, still] = copies.inbox.deliveries.map(({ message }) => message.body);
    expect(again).toBe(tombstone);
    expect(still).not.toBe(tombstone);
  });

  test("say where they come from", async () => {
    const topic = await kafka.topic(2);
    await kafka.produce(topic, [
      { value: "a", partition: 1, timestamp: "1700000000123" },
      { value: "b", partition: 1, timestamp: "1700000000456" },
    ]);
    const { inbox } = await kafka.subscribe(topic);
    await inbox.received(2);
    const origins = inbox.deliveries.map(({ message }) => {
      if (!isKafkaMessage(message)) throw new Error("It is a message of Kafka");
      return [message.destination, message.partition, message.offset, message.timestamp];
    });
    expect(origins).toEqual([
      [topic, 1, "0", 1_700_000_000_123],
      [topic, 1, "1", 1_700_000_000_456],
    ]);
  });
});
