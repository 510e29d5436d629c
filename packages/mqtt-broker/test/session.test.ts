import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { events, start, until } from "./support/broker.ts";
import { connect, open, publish, publishPacket, subscribe } from "./support/raw-client.ts";

const persistent = { clientId: "s", properties: { sessionExpiryInterval: 100 } };
const text = (packets: readonly { payload: string | Buffer }[]): string[] =>
  packets.map(({ payload }) => payload.toString());
const batch = (from: number, to: number, qos: 0 | 1 | 2 = 1) =>
  Array.from({ length: to - from }, (_, i) => ({ topic: "t", payload: `${from + i}`, qos }));

describe.each([4, 5] as const)("a persistent session, version %i", (version) => {
  const options = version === 5 ? persistent : { clientId: "s", version, clean: false };

  test("keeps subscriptions and messages of QoS 1 and 2 while its client is away", async () => {
    const { broker, port } = await start();
    const first = await connect(port, { ...options, version });
    await subscribe(first, "t", { qos: 2 });
    await first.cut();
    await until(() => broker.stats().clients === 0);
    await broker.inject([...batch(0, 2, 1), ...batch(2, 3, 0), ...batch(3, 4, 2)]);
    expect(broker.stats()).toMatchObject({ sessions: 1, queuedMessages: 3 });
    const second = open(port, { ...options, version, clean: false });
    expect((await second.next("connack")).sessionPresent).toBe(true);
    const got = await second.publishes(3);
    expect(text(got)).toEqual(["0", "1", "3"]);
    expect(got.map(({ qos, dup }) => [qos, dup])).toEqual([
      [1, false],
      [1, false],
      [2, false],
    ]);
    await broker.inject(batch(4, 5));
    expect(text(await second.publishes(1))).toEqual(["4"]);
  });

  test("sends again what was not acknowledged: in order, with DUP and the same ids", async () => {
    const { broker, port } = await start();
    const first = await connect(port, { ...options, version });
    await subscribe(first, "t", { qos: 2 });
    await broker.inject([...batch(0, 3, 1), ...batch(3, 5, 2), ...batch(5, 6, 1)]);
    const got = await first.publishes(6);
    const id = (index: number): number => got[index]?.messageId ?? 0;
    first.send({ cmd: "puback", messageId: id(1), reasonCode: 0 });
    first.send({ cmd: "pubrec", messageId: id(3), reasonCode: 0 });
    await first.next("pubrel");
    await first.cut();
    await until(() => broker.stats().clients === 0);
    await broker.inject(batch(6, 7));

    const second = await connect(port, { ...options, version, clean: false });
    const again = await second.publishes(2);
    expect(text(again)).toEqual(["0", "2"]);
    expect((await second.next("pubrel")).messageId).toBe(id(3));
    again.push(...(await second.publishes(3)));
    expect(text(again)).toEqual(["0", "2", "4", "5", "6"]);
    expect(again.map(({ dup }) => dup)).toEqual([true, true, true, true, false]);
    expect(again.slice(0, 4).map(({ messageId }) => messageId)).toEqual([
      id(0),
      id(2),
      id(4),
      id(5),
    ]);
    second.send({ cmd: "pubcomp", messageId: id(3), reasonCode: 0 });
    for (const index of [0, 2, 5])
      second.send({ cmd: "puback", messageId: id(index), reasonCode: 0 });
    await second.nothing();
  });

  test("remembers QoS 2 messages of its client that are not released", async () => {
    const { port } = await start();
    const subscriber = await connect(port);
    await subscribe(subscriber, "t");
    const first = await connect(port, { ...options, version });
    first.send(publishPacket("t", "once", { qos: 2, messageId: 4 }));
    await first.next("pubrec");
    await first.cut();
    const second = await connect(port, { ...options, version, clean: false });
    second.send(publishPacket("t", "once", { qos: 2, messageId: 4, dup: true }));
    await second.next("pubrec");
    second.send({ cmd: "pubrel", messageId: 4 });
    await second.next("pubcomp");
    await subscriber.next("publish");
    await subscriber.nothing();
  });

  test("is ended by a clean start", async () => {
    const { broker, port } = await start();
    const ended = events(broker, "sessionEnd");
    const first = await connect(port, { ...options, version });
    await subscribe(first, "t", { qos: 1 });
    await first.cut();
    await until(() => broker.stats().clients === 0);
    await broker.inject(batch(0, 3));
    const second = open(port, { ...options, version, clean: true });
    expect((await second.next("connack")).sessionPresent).toBe(false);
    await second.nothing();
    expect(ended).toEqual([["s"]]);
    expect(broker.stats()).toMatchObject({ subscriptions: 0, queuedMessages: 0, sessions: 1 });
  });

  test("goes on over a takeover", async () => {
    const { broker, port } = await start();
    const first = await connect(port, { ...options, version });
    await subscribe(first, "t", { qos: 1 });
    await broker.inject(batch(0, 2));
    await first.publishes(2);
    const second = open(port, { ...options, version, clean: false });
    expect((await second.next("connack")).sessionPresent).toBe(true);
    expect(text(await second.publishes(2))).toEqual(["0", "1"]);
    expect(broker.stats()).toMatchObject({ clients: 1, sessions: 1, subscriptions: 1 });
  });
});

describe("session expiry", () => {
  test("ends the session when its client stays away", async () => {
    const { broker, port } = await start();
    const ended = events(broker, "sessionEnd");
    const client = await connect(port, { clientId: "s", properties: { sessionExpiryInterval: 1 } });
    await subscribe(client, "t", { qos: 1 });
    await client.cut();
    await until(() => broker.stats().clients === 0);
    expect(broker.stats().sessions).toBe(1);
    await until(() => ended.length === 1);
    expect(broker.stats()).toMatchObject({ sessions: 0, subscriptions: 0 });
  });

  test("does not when the client comes back in time", async () => {
    const { port } = await start();
    const options = { clientId: "s", properties: { sessionExpiryInterval: 1 } };
    const first = await connect(port, options);
    await first.cut();
    await sleep(500);
    const second = await connect(port, { ...options, clean: false });
    await sleep(900);
    await second.nothing();
    await second.cut();
    const third = open(port, { ...options, clean: false });
    expect((await third.next("connack")).sessionPresent).toBe(true);
  });

  test("is zero by default, and can be changed by DISCONNECT", async () => {
    const { broker, port } = await start();
    const gone = await connect(port);
    await gone.cut();
    await until(() => broker.stats().sessions === 0);
    const client = await connect(port, persistent);
    client.send({ cmd: "disconnect", reasonCode: 0, properties: { sessionExpiryInterval: 0 } });
    await client.gone();
    await until(() => broker.stats().sessions === 0);
  });

  test("cannot be given by DISCONNECT to a session without one", async () => {
    const { port } = await start();
    const client = await connect(port);
    client.send({ cmd: "disconnect", reasonCode: 0, properties: { sessionExpiryInterval: 5 } });
    expect(await client.disconnected()).toBe(0x82);
  });
});

describe("message expiry", () => {
  test("drops what waited too long, and tells how much is left", async () => {
    const { broker, port } = await start();
    const first = await connect(port, persistent);
    await subscribe(first, "t", { qos: 1 });
    await first.cut();
    await until(() => broker.stats().clients === 0);
    const publisher = await connect(port);
    for (const [payload, messageExpiryInterval] of [
      ["short", 1],
      ["long", 100],
    ] as const) {
      await publish(publisher, "t", payload, { qos: 1, properties: { messageExpiryInterval } });
    }
    await broker.inject([
      { topic: "t", payload: "injected", qos: 1, properties: { messageExpiryInterval: 50 } },
    ]);
    await sleep(1_100);
    const second = await connect(port, { ...persistent, clean: false });
    const got = await second.publishes(2);
    expect(text(got)).toEqual(["long", "injected"]);
    expect(got[0]?.properties?.messageExpiryInterval).toBeLessThanOrEqual(99);
    expect(got[0]?.properties?.messageExpiryInterval).toBeGreaterThan(90);
    expect(got[1]?.properties?.messageExpiryInterval).toBeLessThanOrEqual(49);
    await second.nothing();
  });
});

describe("wills", () => {
  const will = { topic: "will", payload: Buffer.from("gone"), qos: 1 as const, retain: false };
  const watch = async (port: number) => {
    const watching = await connect(port);
    await subscribe(watching, "will", { qos: 1 });
    return watching;
  };

  test.each([4, 5] as const)(
    "are sent when the connection is lost, version %i",
    async (version) => {
      const { broker, port } = await start();
      const watching = await watch(port);
      const client = await connect(port, { version, will: { ...will, retain: true } });
      await client.cut();
      expect(text(await watching.publishes(1))).toEqual(["gone"]);
      expect(broker.stats().retainedMessages).toBe(1);
    },
  );

  test("are not sent after DISCONNECT, unless it says so", async () => {
    const { port } = await start();
    const watching = await watch(port);
    const first = await connect(port, { will });
    first.send({ cmd: "disconnect", reasonCode: 0 });
    await first.gone();
    await watching.nothing();
    const second = await connect(port, { will });
    second.send({ cmd: "disconnect", reasonCode: 4 });
    await second.gone();
    await watching.publishes(1);
    const third = await connect(port, { version: 4, will });
    third.send({ cmd: "disconnect" });
    await third.gone();
    await watching.nothing();
  });

  test("are sent when the client breaks the protocol, or is disconnected", async () => {
    const { broker, port } = await start();
    const watching = await watch(port);
    const first = await connect(port, { will });
    first.write(Buffer.from("f000", "hex"));
    await first.disconnected();
    await watching.publishes(1);
    await connect(port, { clientId: "x", will });
    broker.disconnect("x");
    await watching.publishes(1);
  });

  test("carry their properties", async () => {
    const { port } = await start();
    const watching = await watch(port);
    const properties = {
      contentType: "text/plain",
      responseTopic: "answers",
      correlationData: Buffer.from([0, 255]),
      payloadFormatIndicator: true,
      messageExpiryInterval: 30,
      userProperties: { a: "1", b: ["2", "3"] },
    };
    const client = await connect(port, { will: { ...will, properties } });
    await client.cut();
    const packet = await watching.next("publish");
    expect({
      ...packet.properties,
      userProperties: { ...packet.properties?.userProperties },
    }).toEqual(properties);
  });

  test("with a delay wait, and are not sent when the client comes back", async () => {
    const { port } = await start();
    const watching = await watch(port);
    const options = { ...persistent, will: { ...will, properties: { willDelayInterval: 1 } } };
    const first = await connect(port, options);
    await first.cut();
    await sleep(200);
    await watching.nothing();
    const second = await connect(port, { ...options, clean: false });
    await sleep(1_200);
    await watching.nothing();
    const before = performance.now();
    await second.cut();
    await watching.publishes(1);
    expect(performance.now() - before).toBeGreaterThan(900);
  });

  test("with a delay come at the end of the session at the latest", async () => {
    const { port } = await start();
    const watching = await watch(port);
    const delayed = { ...will, properties: { willDelayInterval: 100 } };
    const first = await connect(port, { clientId: "s", will: delayed });
    await first.cut();
    await watching.publishes(1);
    const second = await connect(port, { ...persistent, will: delayed });
    await second.cut();
    await watching.nothing();
    await connect(port, { ...persistent, clean: true });
    await watching.publishes(1);
  });

  test("that the client may not publish are refused when it connects", async () => {
    const { port } = await start({ authorizePublish: (_, topic) => topic !== "will" });
    expect((await open(port, { will }).next("connack")).reasonCode).toBe(0x87);
    const wildcard = { ...will, topic: "a/#" };
    expect((await open(port, { will: wildcard }).next("connack")).reasonCode).toBe(0x90);
  });
});
