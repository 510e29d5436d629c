import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseFilter } from "../src/filters.ts";
import { Message } from "../src/message.ts";
import { Retained } from "../src/retained.ts";
import { Topics } from "../src/topics.ts";
import { start } from "./support/broker.ts";
import { matches } from "./support/matches.ts";
import { connect, publish, subscribe } from "./support/raw-client.ts";

test("retained messages are found as a plain comparison finds them", () => {
  const level = fc.constantFrom("a", "b", "", "$x");
  const name = fc.array(level, { minLength: 1, maxLength: 4 }).map((levels) => levels.join("/"));
  const filter = fc
    .array(fc.oneof(level, fc.constant("+")), { minLength: 1, maxLength: 4 })
    .chain((levels) => fc.constantFrom(levels, [...levels, "#"], ["#"]))
    .map((levels) => levels.join("/"));
  const step = fc.record({ name: name.filter((t) => t !== ""), keep: fc.boolean() });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 30 }),
      fc.array(filter.filter((t) => t !== "")),
      (steps, filters) => {
        const topics = new Topics(128);
        const retained = new Retained(topics, {
          maxRetainedMessages: 100,
          maxRetainedBytes: 100_000,
        });
        const model = new Set<string>();
        for (const { name, keep } of steps) {
          const payload = Buffer.from(keep ? "x" : "");
          const topic = topics.of(name);
          retained.keep(
            new Message(topic, payload, 0, true, undefined, Number.POSITIVE_INFINITY, true),
          );
          if (keep) model.add(name);
          else model.delete(name);
        }
        expect(retained.size).toBe(model.size);
        for (const filter of filters) {
          const parsed = parseFilter(filter, 128);
          if (parsed === undefined) throw new Error(`${filter} is no filter`);
          const found = Array.from(retained.matching(parsed), ({ topic }) => topic.name).sort();
          expect(found).toEqual([...model].filter((name) => matches(filter, name)).sort());
        }
      },
    ),
  );
});

describe("retained messages", () => {
  const retain = true;

  test("come with a new subscription, marked; later ones are not marked", async () => {
    const { broker, port } = await start();
    const publisher = await connect(port);
    await publish(publisher, "a/1", "one", { qos: 2, retain });
    await publish(publisher, "a/2", "two", { retain });
    await publish(publisher, "b", "three", { qos: 1, retain });
    expect(broker.stats().retainedMessages).toBe(3);
    const client = await connect(port);
    await subscribe(client, "a/+", { qos: 1, identifier: 4 });
    const got = await client.publishes(2);
    expect(
      got.map(({ topic, payload, qos, retain, properties }) => [
        topic,
        payload.toString(),
        qos,
        retain,
        properties?.subscriptionIdentifier,
      ]),
    ).toEqual([
      ["a/1", "one", 1, true, 4],
      ["a/2", "two", 0, true, 4],
    ]);
    await publish(publisher, "a/1", "new", { retain });
    expect(await client.next("publish")).toMatchObject({ topic: "a/1", retain: false });
  });

  test("are replaced, and removed by an empty payload, which subscribers get too", async () => {
    const { broker, port } = await start();
    const client = await connect(port);
    await publish(client, "t", "1", { retain });
    await publish(client, "t", "2", { retain });
    await subscribe(client, "t");
    expect((await client.next("publish")).payload.toString()).toBe("2");
    await publish(client, "t", "", { retain });
    expect((await client.next("publish")).payload.toString()).toBe("");
    expect(broker.stats().retainedMessages).toBe(0);
    await subscribe(client, "t");
    await client.nothing();
  });

  test("retain as published keeps the flag", async () => {
    const { port } = await start();
    const client = await connect(port);
    await subscribe(client, "t", { rap: true });
    await publish(client, "t", "1", { retain });
    await publish(client, "t", "2");
    expect((await client.publishes(2)).map(({ retain }) => retain)).toEqual([true, false]);
  });

  test("retain handling: always, only for a new subscription, never", async () => {
    const { broker, port } = await start();
    await broker.inject([{ topic: "t", payload: "x", retain }]);
    const client = await connect(port);
    for (const [rh, comes] of [
      [2, false],
      [1, false],
      [0, true],
      [0, true],
    ] as const) {
      await subscribe(client, "t", { rh });
      if (comes) await client.next("publish");
      await client.nothing();
    }
    const other = await connect(port);
    await subscribe(other, "t", { rh: 1 });
    await other.next("publish");
    await subscribe(other, "t", { rh: 1 });
    await other.nothing();
  });

  test("do not come with a shared subscription", async () => {
    const { broker, port } = await start();
    await broker.inject([{ topic: "t", payload: "x", retain }]);
    const client = await connect(port);
    await subscribe(client, "$share/g/t");
    await client.nothing();
  });

  test("are as many as allowed; removing and replacing stays possible", async () => {
    const { broker, port } = await start({ maxRetainedMessages: 2 });
    const client = await connect(port);
    await subscribe(client, "#");
    const other = await connect(port);
    expect(await publish(other, "a", "1", { retain, qos: 1 })).toBe(0);
    await publish(other, "b", "1", { retain, qos: 1 });
    expect(await publish(other, "c", "1", { retain, qos: 1 })).toBe(0x97);
    expect(await publish(other, "b", "2", { retain, qos: 1 })).toBe(0);
    expect(await publish(other, "b", "", { retain, qos: 1 })).toBe(0);
    expect(await publish(other, "c", "1", { retain, qos: 1 })).toBe(0);
    await expect(broker.inject([{ topic: "d", payload: "x", retain }])).rejects.toMatchObject({
      failures: [{ index: 0, error: { code: "PUBLISH_FAILED" } }],
    });
  });

  test("are as many bytes as allowed", async () => {
    const { port } = await start({ maxRetainedBytes: 1_000 });
    const client = await connect(port);
    expect(await publish(client, "a", "x".repeat(800), { retain, qos: 1 })).toBe(0x10);
    expect(await publish(client, "b", "x".repeat(200), { retain, qos: 1 })).toBe(0x97);
    expect(await publish(client, "a", "x", { retain, qos: 1 })).toBe(0x10);
    expect(await publish(client, "b", "x".repeat(200), { retain, qos: 1 })).toBe(0x10);
  });

  test("that have expired do not come, and make room", async () => {
    const { port } = await start({ maxRetainedMessages: 1 });
    const client = await connect(port);
    const properties = { messageExpiryInterval: 1 };
    expect(await publish(client, "a", "1", { retain, qos: 1, properties })).toBe(0x10);
    await sleep(1_100);
    await subscribe(client, "a");
    await client.nothing();
    expect(await publish(client, "b", "1", { retain, qos: 1 })).toBe(0x10);
  });
});
