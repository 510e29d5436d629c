import { readFileSync } from "node:fs";
import { Kafka } from "kafkajs";
import { describe, expect, test } from "vitest";
import { publisherSettings, subscriberSettings, uncommittedLimit } from "../src/options.ts";
import { useKafka, withKafka } from "./support/kafka.ts";
import { createTopic } from "./support/topics.ts";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const readme = read("../README.md");
const source = read("../src/options.ts");

/** Names and defaults in the table that follows `title`. */
function documented(title: string): Record<string, string> {
  const [, rest = ""] = readme.split(`\`${title}(options)\`:\n`);
  const [table = ""] = rest.trimStart().split("\n\n");
  return Object.fromEntries(
    [...table.matchAll(/^\| `(\w+)` +\|([^|]*)\|/gm)].map(([, name, value = ""]) => [
      name,
      value.replaceAll("`", "").trim(),
    ]),
  );
}

/** Names and defaults of an interface. */
function declared(name: string): Record<string, string> {
  const [, rest = ""] = source.split(`export interface ${name} {\n`);
  const [body = ""] = rest.split("\n}");
  const found: Record<string, string> = {};
  let value = "";
  for (const line of body.split("\n")) {
    value = /@default (.*?)(?: \*\/)?$/.exec(line)?.[1] ?? value;
    const option = /^ {2}readonly (\w+)\??:/.exec(line)?.[1];
    if (option === undefined) continue;
    found[option] = value;
    value = "";
  }
  return found;
}

describe("the README", () => {
  test.for([
    ["kafkaSubscriber", "KafkaSubscriberOptions"],
    ["kafkaPublisher", "KafkaPublisherOptions"],
  ] as const)("has every option of %s with its default", ([title, name]) => {
    expect(Object.keys(declared(name)).length).toBeGreaterThan(4);
    expect(documented(title)).toEqual(declared(name));
  });

  test("tells the defaults that apply", () => {
    const kafka = new Kafka({ brokers: ["127.0.0.1:1"] });
    const subscriber = subscriberSettings({ kafka, groupId: "g" });
    const table = documented("kafkaSubscriber");
    for (const name of ["commitInterval", "connectTimeout"] as const) {
      expect(subscriber[name]).toBe(Number(table[name]?.replaceAll("_", "")));
    }
    expect(JSON.stringify(subscriber.startFrom)).toBe(table.startFrom);
    expect(`${subscriber.completionsInMetadata}`).toBe(table.completionsInMetadata);
    expect([table.maxUncommitted, uncommittedLimit(subscriber, 7)]).toEqual(["2 × window", 14]);
    expect(subscriber.consumer).toEqual({});

    const publisher = publisherSettings({ kafka });
    const { maxMessageBytes, confirmTimeout, compression } = documented("kafkaPublisher");
    expect(publisher.maxMessageBytes).toBe(Number(maxMessageBytes?.replaceAll("_", "")));
    expect(publisher.confirmTimeout).toBe(Number(confirmTimeout?.replaceAll("_", "")));
    expect([compression, publisher.compression]).toEqual(["none", 0]);
    expect(publisher.producer).toEqual({});
  });

  test("shows no code but pieces of the program that is run here", () => {
    const blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code]) => code);
    expect(blocks.length).toBeGreaterThan(0);
    for (const code of blocks) expect(read("readme/orders.ts")).toContain(code);
  });
});

describe.skipIf(!withKafka)("the program of the README", () => {
  const kafka = useKafka();

  test("consumes what it publishes, in order", async () => {
    await createTopic(kafka.client(), { topic: "orders", numPartitions: 3 });
    process.env.KAFKA_OF_README = new URL(kafka.broker.url).host;
    const { shipped } = await import("./readme/orders.ts");
    expect(shipped).toEqual(["42: chair", "42: table"]);
    const committed = await kafka.committed("orders", "shipping");
    expect(committed.reduce((sum, offset) => sum + Math.max(offset, 0), 0)).toBe(2);
  });
});
