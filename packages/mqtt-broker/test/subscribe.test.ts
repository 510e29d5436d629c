import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Pressure } from "../src/backlog.ts";
import { parseFilter, topicFault } from "../src/filters.ts";
import { Outbox } from "../src/outbox.ts";
import { Session } from "../src/session.ts";
import { SharedGroup } from "../src/shared-group.ts";
import { Subscriptions } from "../src/subscriptions.ts";
import { Topics } from "../src/topics.ts";
import { events, start, until } from "./support/broker.ts";
import { matches } from "./support/matches.ts";
import { connect, publish, publishPacket, subscribe } from "./support/raw-client.ts";

describe("filters", () => {
  test.each([
    ["#", "a", true],
    ["#", "a/b/c", true],
    ["#", "$SYS/x", false],
    ["+/x", "$SYS/x", false],
    ["$SYS/#", "$SYS/x", true],
    ["a/#", "a", true],
    ["a/#", "a/b/c", true],
    ["a/#", "ab", false],
    ["a/+", "a/b", true],
    ["a/+", "a", false],
    ["a/+", "a/", true],
    ["a/+", "a/b/c", false],
    ["+", "/a", false],
    ["+/+", "/a", true],
    ["/+", "/a", true],
    ["a//b", "a//b", true],
    ["a/+/b", "a//b", true],
    ["+/b/#", "a/b", true],
    ["A", "a", false],
  ])("%s and %s: %s", async (filter, topic, matches) => {
    const { broker, port } = await start();
    const client = await connect(port);
    await subscribe(client, filter);
    await broker.inject([{ topic, payload: "x" }]);
    if (matches) expect((await client.next("publish")).topic).toBe(topic);
    await client.nothing();
  });

  test.each([
    "",
    "a#",
    "#/a",
    "a/#/b",
    "a+",
    "+a/b",
    "$share/g",
    "$share//a",
    "$share/g+/a",
    "$share/g/",
  ])("%j is refused, the others are granted", async (filter) => {
    const { port } = await start();
    const client = await connect(port);
    client.send({
      cmd: "subscribe",
      messageId: 1,
      subscriptions: [
        { topic: "good", qos: 1 },
        { topic: filter, qos: 1 },
        { topic: "better", qos: 2 },
      ],
    });
    expect((await client.next("suback")).granted).toEqual([1, 0x8f, 2]);
    const old = await connect(port, { version: 4 });
    expect(await subscribe(old, filter)).toEqual([0x80]);
  });

  test("in the tree are found as a plain comparison finds them, while they come and go", () => {
    const level = fc.constantFrom("a", "b", "", "$x");
    const filter = fc
      .array(fc.oneof(level, fc.constant("+")), { minLength: 1, maxLength: 4 })
      .chain((levels) => fc.constantFrom(levels, [...levels, "#"], ["#"]))
      .map((levels) => levels.join("/"))
      .filter((text) => text !== "");
    const topic = fc
      .array(level, { minLength: 1, maxLength: 5 })
      .map((levels) => levels.join("/"))
      .filter((text) => text !== "");
    const step = fc.record({ filter, add: fc.boolean(), client: fc.integer({ min: 0, max: 2 }) });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 30 }),
        fc.array(topic, { maxLength: 10 }),
        (steps, names) => {
          const topics = new Topics(128);
          const limits = {
            maxQueuedMessages: 10,
            maxQueuedBytes: 10_000,
            slowClientTimeout: 1_000,
          };
          const index = new Subscriptions(
            topics,
            (group) =>
              new SharedGroup(
                group,
                limits,
                new Pressure(),
                () => {},
                () => {},
              ),
          );
          const sessions = [0, 1, 2].map(
            (id) =>
              new Session(
                `${id}`,
                new Outbox(limits, new Pressure(), { slow: () => {}, dropped: () => {} }),
              ),
          );
          const model = new Set<string>();
          for (const { filter, add, client } of steps) {
            const session = sessions[client] as Session;
            const parsed = parseFilter(filter, 128);
            if (parsed === undefined) throw new Error(`${filter} is no filter`);
            const known = session.subscriptions.get(filter);
            const key = `${client} ${filter}`;
            if (add) {
              const subscription = {
                session,
                filter,
                group: undefined,
                qos: 0,
                noLocal: false,
                retainAsPublished: false,
                identifiers: undefined,
              } as const;
              session.subscriptions.set(filter, subscription);
              index.add(subscription, parsed, known !== undefined);
              model.add(key);
            } else if (known !== undefined) {
              session.subscriptions.delete(filter);
              index.remove(known, parsed);
              model.delete(key);
            }
            expect(index.size).toBe(model.size);
            for (const name of names) {
              const expected = new Set(
                [...model].filter((key) => matches(key.slice(2), name)).map((key) => key[0]),
              );
              const route = index.routeOf(topics.of(name));
              expect(new Set(route.clientIds())).toEqual(expected);
            }
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

test("topic names", () => {
  expect(topicFault("a/b", 2)).toBeUndefined();
  expect(topicFault("a/b/c", 2)).toMatch(/2 levels/);
  expect(topicFault("", 2)).toMatch(/empty/);
  expect(topicFault("a/+", 2)).toMatch(/subscriptions/);
  expect(topicFault("a\0", 2)).toMatch(/0000/);
});

describe("several subscriptions of a client", () => {
  test("that match one message bring it once, with the highest QoS and all identifiers", async () => {
    const { port } = await start();
    const client = await connect(port);
    await subscribe(client, "a/+", { qos: 0, identifier: 1 });
    await subscribe(client, "a/b", { qos: 1, identifier: 268_435_455 });
    await subscribe(client, "#", { qos: 2 });
    const other = await connect(port);
    await publish(other, "a/b", "x", { qos: 1 });
    const { qos, properties } = await client.next("publish");
    expect(qos).toBe(1);
    expect([properties?.subscriptionIdentifier].flat().toSorted()).toEqual([1, 268_435_455]);
    await client.nothing();
  });

  test("with one filter: the later one replaces the earlier", async () => {
    const { broker, port } = await start();
    const client = await connect(port);
    await subscribe(client, "t", { qos: 1, identifier: 1 });
    await subscribe(client, "t", { qos: 0, identifier: 2 });
    expect(broker.stats().subscriptions).toBe(1);
    await broker.inject([{ topic: "t", payload: "x", qos: 1 }]);
    const { qos, properties } = await client.next("publish");
    expect([qos, properties?.subscriptionIdentifier]).toEqual([0, 2]);
  });
});

test("no local: a client does not get its own messages, others do", async () => {
  const { port } = await start();
  const client = await connect(port);
  await subscribe(client, "a/#", { nl: true });
  const other = await connect(port);
  await subscribe(other, "a/#", { nl: true });
  await publish(client, "a/b", "mine");
  expect((await other.next("publish")).payload.toString()).toBe("mine");
  await client.nothing();
  await subscribe(client, "a/b", { nl: false });
  await publish(client, "a/b", "mine too");
  expect((await client.next("publish")).payload.toString()).toBe("mine too");
  await client.nothing();
});

test("no local on a shared subscription is a protocol error", async () => {
  const { port } = await start();
  const client = await connect(port);
  client.send({
    cmd: "subscribe",
    messageId: 1,
    subscriptions: [{ topic: "$share/g/t", qos: 0, nl: true }],
  });
  expect(await client.disconnected()).toBe(0x82);
});

test("unsubscribe ends one subscription, and says which there were", async () => {
  const { broker, port } = await start();
  const gone = events(broker, "unsubscribe");
  const client = await connect(port, { clientId: "c" });
  await subscribe(client, "a");
  await subscribe(client, "b/+");
  client.send({ cmd: "unsubscribe", messageId: 7, unsubscriptions: ["a", "b", "b/+"] });
  expect(await client.next("unsuback")).toMatchObject({ messageId: 7, granted: [0, 0x11, 0] });
  await broker.inject(["a", "b/x"].map((topic) => ({ topic, payload: "" })));
  await client.nothing();
  expect(gone).toEqual([[expect.objectContaining({ clientId: "c" }), ["a", "b/+"]]]);
  expect(broker.stats().subscriptions).toBe(0);

  const old = await connect(port, { version: 4 });
  old.send({ cmd: "unsubscribe", messageId: 8, unsubscriptions: ["never"] });
  expect((await old.next("unsuback")).messageId).toBe(8);
});

test("subscriptions are told as they were granted", async () => {
  const { broker, port } = await start({
    authorizeSubscribe: (client, { filter, qos }) =>
      sleep(5, client.username === "u" && qos < 2 && !filter.startsWith("secret")),
  });
  const told = events(broker, "subscribe");
  const client = await connect(port, { clientId: "c", username: "u" });
  client.send(
    {
      cmd: "subscribe",
      messageId: 5,
      subscriptions: [
        { topic: "open/+", qos: 1 },
        { topic: "secret", qos: 0 },
        { topic: "$share/g/open", qos: 0 },
      ],
    },
    { cmd: "pingreq" },
  );
  expect((await client.next("suback")).granted).toEqual([1, 0x87, 0]);
  await client.next("pingresp");
  expect(told).toEqual([
    [
      expect.objectContaining({ clientId: "c" }),
      [
        { filter: "open/+", qos: 1 },
        { filter: "$share/g/open", qos: 0 },
      ],
    ],
  ]);
});

test("more subscriptions than allowed are refused", async () => {
  const { port } = await start({ maxSubscriptions: 2 });
  const client = await connect(port);
  expect(await subscribe(client, "a")).toEqual([0]);
  expect(await subscribe(client, "b")).toEqual([0]);
  expect(await subscribe(client, "c")).toEqual([0x97]);
  expect(await subscribe(client, "a")).toEqual([0]);
});

test("filters and topics deeper than allowed are refused", async () => {
  const { broker, port } = await start({ maxTopicLevels: 3 });
  const client = await connect(port);
  expect(await subscribe(client, "a/b/c")).toEqual([0]);
  expect(await subscribe(client, "a/b/c/d")).toEqual([0x8f]);
  expect(await publish(client, "x/b/c/d", "", { qos: 1 })).toBe(0x90);
  client.send(publishPacket("x/b/c/d", ""));
  await client.nothing();
  await until(() => broker.stats().dropped === 1);
});
