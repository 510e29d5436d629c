import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { events, start, until } from "./support/broker.ts";
import { connect, open, publish, RawClient, subscribe } from "./support/raw-client.ts";

describe.each([4, 5] as const)("CONNECT, version %i", (version) => {
  test("is accepted, and told", async () => {
    const { broker, port } = await start();
    const connects = events(broker, "connect");
    const client = open(port, { version, clientId: "c", username: "u" });
    const connack = await client.next("connack");
    expect(connack).toMatchObject({
      sessionPresent: false,
      [version === 5 ? "reasonCode" : "returnCode"]: 0,
    });
    expect(connects).toEqual([
      [
        { clientId: "c", username: "u", protocolVersion: version, remoteAddress: "127.0.0.1" },
        { present: false },
      ],
    ]);
    expect(broker.stats()).toMatchObject({ clients: 1, sessions: 1 });
    client.send({ cmd: "disconnect" });
    await client.gone();
    await until(() => broker.stats().sessions === 0);
  });

  test("with a wrong password is refused", async () => {
    const { port } = await start({
      authenticate: async ({ username, password }) =>
        username === "u" && password?.toString() === "right",
    });
    const wrong = open(port, { version, username: "u", password: Buffer.from("wrong") });
    const connack = await wrong.next("connack");
    expect(connack.reasonCode ?? connack.returnCode).toBe(version === 5 ? 0x86 : 4);
    await wrong.gone();
    const anonymous = await open(port, { version }).next("connack");
    expect(anonymous.reasonCode ?? anonymous.returnCode).toBe(version === 5 ? 0x86 : 4);
    await connect(port, { version, username: "u", password: Buffer.from("right") });
  });

  test("from a client id in use takes the session over; the other is told and disconnected", async () => {
    const { broker, port } = await start();
    const disconnects = events(broker, "disconnect");
    const first = await connect(port, { version, clientId: "same" });
    const second = await connect(port, { version, clientId: "same" });
    if (version === 5) expect(await first.disconnected()).toBe(0x8e);
    else await first.gone();
    await second.nothing();
    expect(disconnects).toEqual([
      [
        expect.objectContaining({ clientId: "same" }),
        { reasonCode: 0x8e, reason: expect.stringContaining("client id") },
      ],
    ]);
    expect(broker.stats().clients).toBe(1);
  });

  test("beyond the limit of clients is refused, but not a client that comes again", async () => {
    const { port } = await start({ maxClients: 1 });
    await connect(port, { version, clientId: "a" });
    const connack = await open(port, { version, clientId: "b" }).next("connack");
    expect(connack.reasonCode ?? connack.returnCode).toBe(version === 5 ? 0x97 : 3);
    await connect(port, { version, clientId: "a" });
  });

  test("twice is a protocol error", async () => {
    const { port } = await start();
    const client = await connect(port, { version });
    client.send({ cmd: "connect", protocolVersion: version, clientId: "x", clean: true });
    if (version === 5) expect(await client.disconnected()).toBe(0x82);
    await client.gone();
  });

  test("can be followed by other packets at once", async () => {
    const { port } = await start({ authenticate: () => sleep(20, true) });
    const client = open(port, { version });
    client.send({ cmd: "pingreq" }, { cmd: "pingreq" });
    await client.next("connack");
    await client.next("pingresp");
    await client.next("pingresp");
  });
});

test("a client without an id gets one", async () => {
  const { port } = await start();
  const { properties } = await open(port, { clientId: "" }).next("connack");
  expect(properties?.assignedClientIdentifier).toMatch(/^[\w-]{20,}$/);
  await connect(port, { version: 4, clientId: "" });
});

test("MQTT 3.1.1: no session without a client id", async () => {
  const { port } = await start();
  const client = new RawClient(port, 4);
  // mqtt-packet refuses to generate it.
  client.write(Buffer.from("100c00044d5154540400003c0000", "hex"));
  expect((await client.next("connack")).returnCode).toBe(2);
  await client.gone();
});

test("CONNACK tells the limits", async () => {
  const { port } = await start({
    receiveMaximum: 7,
    maxPacketSize: 1_000,
    topicAliasMaximum: 3,
    maxSessionExpiry: 60,
  });
  const client = open(port, { properties: { sessionExpiryInterval: 3_600 } });
  expect((await client.next("connack")).properties).toEqual({
    receiveMaximum: 7,
    maximumPacketSize: 1_000,
    topicAliasMaximum: 3,
    sessionExpiryInterval: 60,
  });
});

test.each([
  ["MQTT 3.1", "100f00064d51497364700302003c000161", 4, 1],
  ["version 6", "100d00044d5154540602003c000161", 5, 0x84],
  ["a bridge", "100d00044d5154548402003c000161", 5, 0x84],
] as const)("%s is refused", async (_, hex, version, code) => {
  const { port } = await start();
  const client = new RawClient(port, version);
  client.write(Buffer.from(hex, "hex"));
  const connack = await client.next("connack");
  expect(connack.reasonCode ?? connack.returnCode).toBe(code);
  await client.gone();
});

test("extended authentication is refused", async () => {
  const { port } = await start();
  const client = open(port, { properties: { authenticationMethod: "SCRAM-SHA-1" } });
  expect((await client.next("connack")).reasonCode).toBe(0x8c);
});

test("who does not send CONNECT is disconnected", async () => {
  const { broker, port } = await start({ connectTimeout: 100 });
  const silent = new RawClient(port, 5);
  await silent.gone();
  const other = new RawClient(port, 5);
  other.send({ cmd: "pingreq" });
  await other.gone();
  expect(broker.stats().clients).toBe(0);
});

test("a session beyond the limit is refused", async () => {
  const { port } = await start({ maxSessions: 1 });
  const first = await connect(port, { clientId: "a", properties: { sessionExpiryInterval: 100 } });
  await first.cut();
  expect((await open(port, { clientId: "b" }).next("connack")).reasonCode).toBe(0x97);
  await connect(port, { clientId: "a", clean: true });
});

describe("keep-alive", () => {
  test("who is silent for one and a half times as long is disconnected", async () => {
    const { broker, port } = await start();
    const disconnects = events(broker, "disconnect");
    const client = await connect(port, { keepalive: 1 });
    const before = performance.now();
    expect(await client.disconnected()).toBe(0x8d);
    expect(performance.now() - before).toBeGreaterThan(1_300);
    expect(disconnects[0]?.[1].reasonCode).toBe(0x8d);
  });

  test("any packet counts", async () => {
    const { port } = await start();
    const client = await connect(port, { version: 4, keepalive: 1 });
    for (let i = 0; i < 4; i++) {
      await sleep(600);
      await client.nothing();
    }
  });
});

describe("the broker disconnects", () => {
  test("a client, with a reason", async () => {
    const { broker, port } = await start();
    const client = await connect(port, { clientId: "c" });
    expect(broker.disconnect("c", 0x9c, "elsewhere")).toBe(true);
    const packet = await client.next("disconnect");
    expect(packet).toMatchObject({ reasonCode: 0x9c, properties: { reasonString: "elsewhere" } });
    await client.gone();
    expect(broker.disconnect("c")).toBe(false);
    expect(() => broker.disconnect("c", 4)).toThrow(/reasonCode/);
  });

  test("everybody when it is closed, without wills", async () => {
    const { broker, port } = await start();
    const watching = await connect(port, {});
    await subscribe(watching, "will");
    const dying = await connect(port, {
      will: { topic: "will", payload: Buffer.from("!"), qos: 0, retain: false },
    });
    const old = await connect(port, { version: 4 });
    await broker.close();
    expect(await dying.disconnected()).toBe(0x8b);
    expect(await watching.disconnected()).toBe(0x8b);
    await old.gone();
    await expect(broker.listen({ port: 0 })).rejects.toMatchObject({ code: "CONNECTION_LOST" });
    await expect(broker.inject([{ topic: "a", payload: "" }])).rejects.toMatchObject({
      code: "PUBLISH_FAILED",
      failures: [{ index: 0, error: { code: "CONNECTION_LOST" } }],
    });
  });
});

test("a hook that throws refuses, and is told", async () => {
  const { broker, port } = await start({
    authenticate: ({ clientId }) => {
      if (clientId === "bad") throw new Error("no database");
      return true;
    },
    authorizePublish: () => {
      throw new Error("no rules");
    },
    authorizeSubscribe: () => Promise.reject(new Error("no rules either")),
  });
  const failures = events(broker, "hookFailed");
  expect((await open(port, { clientId: "bad" }).next("connack")).reasonCode).toBe(0x86);
  const client = await connect(port);
  expect(await publish(client, "a", "x", { qos: 1 })).toBe(0x87);
  expect(await subscribe(client, "a")).toEqual([0x87]);
  expect(failures.map(([error, hook]) => [hook, error.message])).toEqual([
    ["authenticate", "no database"],
    ["authorizePublish", "no rules"],
    ["authorizeSubscribe", "no rules either"],
  ]);
});
