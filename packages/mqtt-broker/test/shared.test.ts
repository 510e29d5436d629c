import { describe, expect, test } from "vitest";
import { events, start, until } from "./support/broker.ts";
import { connect, type RawClient, subscribe } from "./support/raw-client.ts";

const filter = "$share/g/t";
const batch = (from: number, to: number, qos: 0 | 1 | 2 = 1) =>
  Array.from({ length: to - from }, (_, i) => ({ topic: "t", payload: `${from + i}`, qos }));
const text = (packets: readonly { payload: string | Buffer }[]): string[] =>
  packets.map(({ payload }) => payload.toString());
const waiting = (client: RawClient): number =>
  client.inbox.filter(({ cmd }) => cmd === "publish").length;
const ack = (client: RawClient, messageId = 0): void =>
  client.send({ cmd: "puback", messageId, reasonCode: 0 });

describe("a shared subscription", () => {
  test("spreads messages over its members in turn, each exactly once; others get all", async () => {
    const { broker, port } = await start();
    const members = [await connect(port), await connect(port), await connect(port, { version: 4 })];
    for (const member of members) await subscribe(member, filter, { qos: 1 });
    const plain = await connect(port);
    await subscribe(plain, "t");
    const group2 = await connect(port);
    await subscribe(group2, "$share/other/#");
    await broker.inject(batch(0, 9));
    const got = await Promise.all(members.map((member) => member.publishes(3)));
    expect(got.map(text)).toEqual([
      ["2", "5", "8"],
      ["0", "3", "6"],
      ["1", "4", "7"],
    ]);
    expect(text(await plain.publishes(9))).toEqual(text(batch(0, 9)));
    expect(text(await group2.publishes(9))).toEqual(text(batch(0, 9)));
  });

  test("gives nothing to a member whose window is full, and the rest to the others", async () => {
    const { broker, port } = await start();
    const slow = await connect(port, { properties: { receiveMaximum: 2 } });
    await subscribe(slow, filter, { qos: 1 });
    const fast = await connect(port, { properties: { receiveMaximum: 5 } });
    await subscribe(fast, filter, { qos: 1 });
    await broker.inject(batch(0, 100));
    const done: string[] = [];
    while (done.length < 98) {
      const packet = await fast.next("publish");
      done.push(packet.payload.toString());
      ack(fast, packet.messageId);
    }
    expect(waiting(slow)).toBe(2);
    const rest = await slow.publishes(2);
    expect([...done, ...text(rest)].map(Number).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 100 }, (_, i) => i),
    );
    // Per member in order.
    expect(done.map(Number)).toEqual(done.map(Number).toSorted((a, b) => a - b));
    expect(broker.stats().queuedMessages).toBe(0);
  });

  test("keeps messages while no member is there, and gives them to the first that comes", async () => {
    const { broker, port } = await start();
    const options = (clientId: string) => ({
      clientId,
      properties: { sessionExpiryInterval: 100 },
    });
    const a = await connect(port, options("a"));
    await subscribe(a, filter, { qos: 1 });
    const b = await connect(port, options("b"));
    await subscribe(b, filter, { qos: 1 });
    await a.cut();
    await b.cut();
    await until(() => broker.stats().clients === 0);
    await broker.inject([...batch(0, 5), ...batch(5, 6, 0)]);
    expect(broker.stats().queuedMessages).toBe(5);
    const again = await connect(port, { ...options("b"), clean: false });
    expect(text(await again.publishes(5))).toEqual(["0", "1", "2", "3", "4"]);
    await again.nothing();
  });

  test("gives what a member had unacknowledged to the others when its session ends, first", async () => {
    const { broker, port } = await start();
    const first = await connect(port, { clientId: "first", properties: { receiveMaximum: 3 } });
    await subscribe(first, filter, { qos: 1 });
    const second = await connect(port, { properties: { receiveMaximum: 1 } });
    await subscribe(second, filter, { qos: 1 });
    await broker.inject(batch(0, 10));
    const got = await first.publishes(3);
    ack(first, got[0]?.messageId);
    got.push(...(await first.publishes(1)));
    const had = text(got);
    await first.cut();
    await until(() => broker.stats().sessions === 1);
    const rest: string[] = [];
    while (rest.length < 9) {
      const packet = await second.next("publish");
      rest.push(packet.payload.toString());
      ack(second, packet.messageId);
    }
    await second.nothing();
    expect(rest.slice(1, 4)).toEqual(had.slice(1));
    expect([had[0] as string, ...rest].map(Number).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 10 }, (_, i) => i),
    );
  });

  test("keeps for a persistent member what was sent to it", async () => {
    const { broker, port } = await start();
    const options = {
      clientId: "a",
      properties: { sessionExpiryInterval: 100, receiveMaximum: 2 },
    };
    const a = await connect(port, options);
    await subscribe(a, filter, { qos: 1, identifier: 9 });
    await broker.inject(batch(0, 4));
    await a.publishes(2);
    await a.cut();
    await until(() => broker.stats().clients === 0);
    const b = await connect(port);
    await subscribe(b, filter, { qos: 1 });
    expect(text(await b.publishes(2))).toEqual(["2", "3"]);
    const again = await connect(port, { ...options, clean: false });
    const got = await again.publishes(2);
    expect(
      got.map(({ payload, dup, properties }) => [payload.toString(), dup, properties]),
    ).toEqual([
      ["0", true, { subscriptionIdentifier: 9 }],
      ["1", true, { subscriptionIdentifier: 9 }],
    ]);
  });

  test("ends with its last member, with what waits", async () => {
    const { broker, port } = await start();
    const member = await connect(port, { properties: { receiveMaximum: 1 } });
    await subscribe(member, filter, { qos: 1 });
    await broker.inject(batch(0, 5));
    expect(broker.stats()).toMatchObject({ queuedMessages: 4, subscriptions: 1 });
    await member.publishes(1);
    member.send({ cmd: "unsubscribe", messageId: 1, unsubscriptions: [filter] });
    await member.next("unsuback");
    expect(broker.stats()).toMatchObject({ queuedMessages: 0, subscriptions: 0 });
    await broker.inject(batch(5, 6));
    await member.nothing();
  });

  test("takes the QoS of the member", async () => {
    const { broker, port } = await start();
    const zero = await connect(port);
    await subscribe(zero, filter, { qos: 0 });
    await broker.inject(batch(0, 1, 2));
    expect((await zero.next("publish")).qos).toBe(0);
    zero.send({ cmd: "unsubscribe", messageId: 1, unsubscriptions: [filter] });
    await zero.next("unsuback");
    const two = await connect(port, { clientId: "two", properties: { sessionExpiryInterval: 9 } });
    await subscribe(two, filter, { qos: 2 });
    await broker.inject(batch(0, 1, 2));
    const { qos, messageId = 0 } = await two.next("publish");
    expect(qos).toBe(2);
    two.send({ cmd: "pubrec", messageId, reasonCode: 0 });
    await two.next("pubrel");
    await two.cut();
    const again = await connect(port, { clientId: "two", clean: false });
    expect((await again.next("pubrel")).messageId).toBe(messageId);
  });

  test("several of one member share its window", async () => {
    const { broker, port } = await start();
    const member = await connect(port, { properties: { receiveMaximum: 1 } });
    await subscribe(member, "$share/g/t", { qos: 1 });
    await subscribe(member, "$share/h/#", { qos: 1 });
    await broker.inject(batch(0, 5));
    const got: string[] = [];
    while (got.length < 10) {
      const packet = await member.next("publish");
      expect(waiting(member)).toBe(0);
      got.push(packet.payload.toString());
      ack(member, packet.messageId);
    }
    // Neither group waits for the other to be empty.
    expect(new Set(got.slice(0, 6)).size).toBeLessThan(6);
  });

  test("drops what its queue cannot take, and tells it by its filter", async () => {
    const { broker, port } = await start({ maxQueuedMessages: 4, slowClientTimeout: 100 });
    const drops = events(broker, "drop");
    const member = await connect(port, { properties: { receiveMaximum: 1 } });
    await subscribe(member, filter, { qos: 1 });
    await broker.inject(batch(0, 7));
    expect(drops[0]).toEqual([filter, { reason: "queue-full", messages: 1 }]);
    expect(broker.stats()).toMatchObject({ queuedMessages: 4, clients: 1, dropped: 2 });
    const got: string[] = [];
    while (got.length < 5) {
      const packet = await member.next("publish");
      got.push(packet.payload.toString());
      ack(member, packet.messageId);
    }
    expect(got).toEqual(["0", "1", "2", "3", "4"]);
  });

  test("with expired messages gives the next one", async () => {
    const { broker, port } = await start();
    const member = await connect(port, { properties: { receiveMaximum: 1 } });
    await subscribe(member, filter, { qos: 1 });
    const properties = { messageExpiryInterval: 0 };
    await broker.inject([
      ...batch(0, 1),
      { topic: "t", payload: "x", qos: 1, properties },
      ...batch(1, 2),
    ]);
    const [first] = await member.publishes(1);
    ack(member, first?.messageId);
    expect(text(await member.publishes(1))).toEqual(["1"]);
  });
});
