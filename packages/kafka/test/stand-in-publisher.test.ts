import { kafkaPublisher } from "@lab/kafka";
import type { Message } from "kafkajs";
import { describe, expect, test } from "vitest";
import { type Send, standInProducers } from "./support/stand-in-producer.ts";

const topic = "t";

const messages = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ key: `${i}`, body: Buffer.from(`${i}`) }));

const valuesOf = (records: readonly Message[] | undefined) =>
  records?.map(({ value }) => `${value}`);

const everywhere: Send = (records) => [...new Set(records.map(({ partition = 0 }) => partition))];

/** As kafkajs reports what a broker answers. */
function protocolError(type: string): Error {
  return Object.assign(new Error(type), { name: "KafkaJSProtocolError", type, retriable: false });
}

describe("a publisher on what no single broker can be made to do (a stand-in for kafkajs)", () => {
  test("is idempotent unless it is told not to be, and gives every setting of kafkajs's retries", async () => {
    const { kafka, producers } = standInProducers(1, everywhere);
    for (const producer of [undefined, { idempotent: false }]) {
      const publisher = kafkaPublisher({ kafka, ...(producer && { producer }) });
      await publisher.publish(topic, messages(1));
      await publisher.close();
    }
    expect(producers.map(({ config }) => config.idempotent)).toEqual([true, false]);
    expect(Object.keys(producers[0]?.config.retry ?? {}).sort()).toEqual([
      "factor",
      "initialRetryTime",
      "maxRetryTime",
      "multiplier",
      "retries",
    ]);
    expect(producers[0]?.config.allowAutoTopicCreation).toBe(false);
  });

  test("sends again what kafkajs leaves out when a leader moves to a broker that has answered already", async () => {
    const { kafka, producers } = standInProducers(3, (records, { sent }) =>
      everywhere(records, producers[0] as never).filter((partition) => partition !== sent.length),
    );
    const publisher = kafkaPublisher({ kafka });
    await publisher.publish(topic, messages(30));
    const sent = producers[0]?.sent ?? [];
    const leftOut = sent[0]?.filter(({ partition }) => partition === 1) ?? [];
    expect(leftOut.length).toBeGreaterThan(0);
    expect(sent).toHaveLength(2);
    expect(valuesOf(sent[1])).toEqual(valuesOf(leftOut));
    await publisher.close();
  });

  test("takes no answer for a failure", async () => {
    const { kafka } = standInProducers(2, () => []);
    const publisher = kafkaPublisher({ kafka });
    await expect(publisher.publish(topic, messages(2))).rejects.toMatchObject({
      failures: [{ index: 0, error: { code: "CONNECTION_LOST" } }, { index: 1 }],
    });
    await publisher.close();
  });

  test("makes a new producer after a failure: kafkajs would give the sequence numbers of what failed to what comes next", async () => {
    let failing = true;
    const { kafka, producers } = standInProducers(1, (records, producer) => {
      if (failing) throw protocolError("OUT_OF_ORDER_SEQUENCE_NUMBER");
      return everywhere(records, producer);
    });
    const publisher = kafkaPublisher({ kafka });
    await expect(publisher.publish(topic, messages(2))).rejects.toMatchObject({
      failures: [{ error: { code: "CONNECTION_LOST" } }, { error: { code: "CONNECTION_LOST" } }],
    });
    failing = false;
    await publisher.publish(topic, messages(2));
    expect(producers.map(({ sent }) => sent.length)).toEqual([1, 1]);
    await publisher.close();
    expect(producers.map(({ connections }) => connections <= 0)).toEqual([true, true]);
  });

  test("keeps its producer when one record is refused, and repeats the others as they were sent", async () => {
    const { kafka, producers } = standInProducers(2, (records, producer) => {
      if (records.some(({ value }) => `${value}` === "5")) throw protocolError("INVALID_RECORD");
      return everywhere(records, producer);
    });
    const publisher = kafkaPublisher({ kafka });
    await expect(publisher.publish(topic, messages(12))).rejects.toMatchObject({
      failures: [{ index: 5, error: { code: "UNSUPPORTED_MESSAGE" } }],
    });
    const [first = [], ...others] = producers[0]?.sent ?? [];
    const partitionOf5 = first[5]?.partition;
    const untouched = first.filter(({ partition }) => partition !== partitionOf5);
    expect(others.map(valuesOf)).toContainEqual(valuesOf(untouched));
    expect(producers).toHaveLength(1);
    await publisher.close();
  });

  test("what comes behind a failure is not sent, though it stood in another part of the batch", async () => {
    const { kafka, producers } = standInProducers(1, (_, { sent }) => {
      throw protocolError(sent.length === 1 ? "INVALID_RECORD" : "OUT_OF_ORDER_SEQUENCE_NUMBER");
    });
    const publisher = kafkaPublisher({ kafka });
    await expect(publisher.publish(topic, messages(4))).rejects.toMatchObject({
      failures: [0, 1, 2, 3].map((index) => ({ index, error: { code: "CONNECTION_LOST" } })),
    });
    expect(producers[0]?.sent.map(valuesOf)).toEqual([
      ["0", "1", "2", "3"],
      ["0", "1"],
    ]);
    await publisher.close();
  });

  test("ends kafkajs's retries when it is closed", async () => {
    const { kafka, producers } = standInProducers(1, everywhere);
    const publisher = kafkaPublisher({ kafka });
    await publisher.publish(topic, messages(1));
    await publisher.close();
    const producer = producers[0];
    expect(() => producer?.choose(producer.sent[0] ?? [])).toThrow(
      expect.objectContaining({ retriable: false }),
    );
  });

  test("says what to do where brokers do not know idempotent producers", async () => {
    const { kafka } = standInProducers(1, () => {
      throw Object.assign(new Error("The Kafka server does not support InitProducerId"), {
        name: "KafkaJSServerDoesNotSupportApiKey",
      });
    });
    const publisher = kafkaPublisher({ kafka });
    await expect(publisher.publish(topic, messages(1))).rejects.toMatchObject({
      failures: [{ error: { code: "INVALID_OPTION", message: /idempotent: false/ } }],
    });
    await publisher.close();
  });
});
