import { consume, type Message } from "@lab/core";
import { byTopicLevels } from "@lab/solace";
import { describe, expect, test } from "vitest";
import { eventually, publish, publisherOf, started, subscriberOf } from "./support/solace.ts";

test("the partition key is the key unless told otherwise", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  await publish(broker, "q", { body: Buffer.from("a"), key: "k-1" }, { body: Buffer.from("b") });
  const keys: (string | undefined)[] = [];
  await using _ = await consume({
    subscriber: subscriberOf(broker),
    source: "q",
    handler: (_body, { key }) => {
      keys.push(key);
    },
  });
  await eventually("both", () => keys.length === 2);
  expect(keys.sort()).toEqual(["k-1", undefined]);
});

test("levels of the topic are an alternative, in the order published", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  broker.subscribe("q", "orders/>");
  const publisher = publisherOf(broker, { destination: "topic" });
  const topics = ["orders/berlin/1", "orders/paris/2", "orders/berlin/3", "orders/paris/4"];
  for (const topic of topics) await publisher.publish(topic, [{ body: Buffer.from(topic) }]);
  const handled: string[] = [];
  await using _ = await consume({
    subscriber: subscriberOf(broker),
    source: "q",
    key: byTopicLevels(1),
    handler: (body, { key }) => {
      handled.push(`${key}: ${Buffer.from(body as Uint8Array)}`);
    },
  });
  await eventually("all", () => handled.length === 4);
  const of = (key: string) => handled.filter((one) => one.startsWith(key));
  expect(of("berlin")).toEqual(["berlin: orders/berlin/1", "berlin: orders/berlin/3"]);
  expect(of("paris")).toEqual(["paris: orders/paris/2", "paris: orders/paris/4"]);
});

describe("byTopicLevels", () => {
  const published = (destination: string): Message => ({
    destination,
    body: Buffer.alloc(0),
    key: undefined,
    headers: {},
  });

  test.for([
    [[0], "orders/berlin/42", "orders"],
    [[1], "orders/berlin/42", "berlin"],
    [[2, 0], "orders/berlin/42", "42/orders"],
    [[3], "orders/berlin/42", undefined],
    [[0, 3], "orders/berlin/42", undefined],
  ] as const)("%o of %s is %s", ([levels, topic, expected]) => {
    expect(byTopicLevels(...levels)(published(topic))).toBe(expected);
  });

  test.for([[], [-1], [1.5], ["1" as unknown as number]])("refuses %o", (levels) => {
    expect(() => byTopicLevels(...levels)).toThrow(/`levels` to be one or more integers/);
  });
});
