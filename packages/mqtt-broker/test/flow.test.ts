import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { events, start, until } from "./support/broker.ts";
import { connect, publish, publishPacket, subscribe } from "./support/raw-client.ts";

const batch = (from: number, to: number, qos: 0 | 1 | 2 = 1) =>
  Array.from({ length: to - from }, (_, i) => ({ topic: "t", payload: `${from + i}`, qos }));
const text = (packets: readonly { payload: string | Buffer }[]): string[] =>
  packets.map(({ payload }) => payload.toString());

describe("the client's receive maximum", () => {
  test("is never exceeded, and each acknowledgement makes room for one", async () => {
    const { broker, port } = await start();
    const client = await connect(port, { properties: { receiveMaximum: 3 } });
    await subscribe(client, "t", { qos: 2 });
    await broker.inject([...batch(0, 2, 1), ...batch(2, 6, 2)]);
    const got = await client.publishes(3);
    await client.nothing();
    client.send({ cmd: "puback", messageId: got[1]?.messageId ?? 0, reasonCode: 0 });
    got.push(...(await client.publishes(1)));
    await client.nothing();
    // QoS 2 makes room with PUBCOMP only.
    client.send({ cmd: "pubrec", messageId: got[2]?.messageId ?? 0, reasonCode: 0 });
    await client.next("pubrel");
    await client.nothing();
    client.send({ cmd: "pubcomp", messageId: got[2]?.messageId ?? 0, reasonCode: 0 });
    got.push(...(await client.publishes(1)));
    expect(text(got)).toEqual(["0", "1", "2", "3", "4"]);
    await client.nothing();
  });

  test("holds for what is sent again too", async () => {
    const { broker, port } = await start();
    const options = { clientId: "s", properties: { sessionExpiryInterval: 100 } };
    const first = await connect(port, options);
    await subscribe(first, "t", { qos: 1 });
    await broker.inject(batch(0, 5));
    await first.publishes(5);
    await first.cut();
    const second = await connect(port, {
      ...options,
      clean: false,
      properties: { ...options.properties, receiveMaximum: 2 },
    });
    const got = await second.publishes(2);
    await second.nothing();
    for (let i = 0; i < 3; i++) {
      second.send({ cmd: "puback", messageId: got[i]?.messageId ?? 0, reasonCode: 0 });
      got.push(...(await second.publishes(1)));
      await second.nothing();
    }
    expect(text(got)).toEqual(["0", "1", "2", "3", "4"]);
    expect(got.every(({ dup }) => dup)).toBe(true);
  });

  test("an acknowledgement of what has not been sent again yet counts once", async () => {
    const { broker, port } = await start();
    const options = {
      clientId: "s",
      properties: { sessionExpiryInterval: 100, receiveMaximum: 4 },
    };
    const first = await connect(port, options);
    await subscribe(first, "t", { qos: 1 });
    await broker.inject(batch(0, 6));
    const before = await first.publishes(4);
    await first.cut();
    const properties = { sessionExpiryInterval: 100, receiveMaximum: 1 };
    const second = await connect(port, { ...options, clean: false, properties });
    await second.publishes(1);
    second.send({ cmd: "puback", messageId: before[1]?.messageId ?? 0, reasonCode: 0 });
    await second.nothing();
    second.send({ cmd: "puback", messageId: before[0]?.messageId ?? 0, reasonCode: 0 });
    expect(text(await second.publishes(1))).toEqual(["2"]);
    await second.nothing();
  });

  test("MQTT 3.1.1 has none: `maxInflight` limits", async () => {
    const { broker, port } = await start({ maxInflight: 2 });
    const client = await connect(port, { version: 4 });
    await subscribe(client, "t", { qos: 1 });
    await broker.inject(batch(0, 5));
    const [first] = await client.publishes(2);
    await client.nothing();
    client.send({ cmd: "puback", messageId: first?.messageId ?? 0 });
    await client.publishes(1);
    await client.nothing();
  });

  test("QoS 0 keeps its place behind what waits", async () => {
    const { broker, port } = await start();
    const client = await connect(port, { properties: { receiveMaximum: 1 } });
    await subscribe(client, "t", { qos: 1 });
    await broker.inject([...batch(0, 2, 1), ...batch(2, 3, 0)]);
    const [first] = await client.publishes(1);
    await client.nothing();
    client.send({ cmd: "puback", messageId: first?.messageId ?? 0, reasonCode: 0 });
    expect(text(await client.publishes(2))).toEqual(["1", "2"]);
  });
});

describe("the broker's receive maximum", () => {
  test("disconnects who exceeds it", async () => {
    const { port } = await start({ receiveMaximum: 2, onMessages: () => sleep(60_000) });
    const client = await connect(port);
    client.send(...[1, 2].map((messageId) => publishPacket("t", "", { qos: 1, messageId })));
    await client.nothing();
    client.send(publishPacket("t", "", { qos: 1, messageId: 3 }));
    expect(await client.disconnected()).toBe(0x93);
  });

  test("counts QoS 2 until it is released", async () => {
    const { port } = await start({ receiveMaximum: 2 });
    const client = await connect(port);
    client.send(...[1, 2].map((messageId) => publishPacket("t", "", { qos: 2, messageId })));
    await client.next("pubrec");
    await client.next("pubrec");
    client.send({ cmd: "pubrel", messageId: 1 });
    await client.next("pubcomp");
    client.send(publishPacket("t", "", { qos: 2, messageId: 3 }));
    await client.next("pubrec");
    client.send(publishPacket("t", "", { qos: 1, messageId: 4 }));
    expect(await client.disconnected()).toBe(0x93);
  });

  test("is not exceeded by who waits for acknowledgements, in any number", async () => {
    const { port } = await start({ receiveMaximum: 2 });
    const client = await connect(port);
    for (let round = 1; round <= 50; round++) {
      client.send(
        publishPacket("t", "", { qos: 1, messageId: 1 }),
        publishPacket("t", "", { qos: 2, messageId: 2 }),
      );
      await client.next("puback");
      await client.next("pubrec");
      client.send({ cmd: "pubrel", messageId: 2 });
      await client.next("pubcomp");
    }
  });
});

describe("packets that are too large", () => {
  test("for the broker cost the connection", async () => {
    const { port } = await start({ maxPacketSize: 1_000 });
    const client = await connect(port);
    await publish(client, "t", "x".repeat(900), { qos: 1 });
    client.send(publishPacket("t", "x".repeat(1_000)));
    expect(await client.disconnected()).toBe(0x95);
    const old = await connect(port, { version: 4 });
    old.write(Buffer.from("30e907", "hex")); // the header is enough
    await old.gone();
  });

  test("for a client are left out, and told here; others get them", async () => {
    const { broker, port } = await start();
    const drops = events(broker, "drop");
    const client = await connect(port, {
      clientId: "small",
      properties: { maximumPacketSize: 100 },
    });
    const other = await connect(port);
    for (const subscriber of [client, other]) await subscribe(subscriber, "t", { qos: 1 });
    await broker.inject([
      { topic: "t", payload: "x".repeat(100), qos: 1 },
      { topic: "t", payload: "fits", qos: 1 },
    ]);
    expect(text(await client.publishes(1))).toEqual(["fits"]);
    await other.publishes(2);
    expect(drops).toEqual([["small", { reason: "packet-too-large", messages: 1 }]]);
  });

  test("16 MiB come through, in any pieces", async () => {
    const { port } = await start();
    const client = await connect(port);
    await subscribe(client, "t", { qos: 1 });
    const payload = "0123456789abcdef".repeat(1_048_000);
    client.send(publishPacket("t", payload, { qos: 1 }));
    await client.until(() => client.inbox.length === 2, "publish and puback");
    const packet = client.inbox.find(({ cmd }) => cmd === "publish");
    expect((packet as { payload?: Buffer }).payload?.toString() === payload).toBe(true);
  });
});

describe("slow clients", () => {
  test("are disconnected when their queue is full; a session keeps what it has", async () => {
    const { broker, port } = await start({ maxQueuedMessages: 5 });
    const disconnects = events(broker, "disconnect");
    const drops = events(broker, "drop");
    const options = {
      clientId: "s",
      properties: { sessionExpiryInterval: 100, receiveMaximum: 1 },
    };
    const client = await connect(port, options);
    await subscribe(client, "t", { qos: 1 });
    await broker.inject(batch(0, 10));
    await client.publishes(1);
    expect(await client.disconnected()).toBe(0x97);
    expect(disconnects[0]?.[1]).toEqual({
      reasonCode: 0x97,
      reason: "Its queue is full: 5 messages or 67108864 bytes.",
    });
    expect(drops[0]).toEqual(["s", { reason: "queue-full", messages: 1 }]);
    expect(broker.stats()).toMatchObject({ queuedMessages: 5, dropped: 4 });
    const second = await connect(port, { clientId: "s", clean: false });
    expect(text(await second.publishes(6))).toEqual(["0", "1", "2", "3", "4", "5"]);
  });

  test("are disconnected when they hold others up for too long", async () => {
    const { broker, port } = await start({ maxQueuedMessages: 10, slowClientTimeout: 300 });
    const client = await connect(port, { properties: { receiveMaximum: 1 } });
    await subscribe(client, "t", { qos: 1 });
    const before = performance.now();
    await broker.inject(batch(0, 8));
    expect(performance.now() - before).toBeGreaterThan(250);
    await client.publishes(1);
    expect(await client.disconnected()).toBe(0x97);
    expect(broker.stats().queuedMessages).toBe(0);
  });

  test("make `inject` wait until they have caught up", async () => {
    const { broker, port } = await start({ maxQueuedMessages: 10 });
    const client = await connect(port, { properties: { receiveMaximum: 1 } });
    await subscribe(client, "t", { qos: 1 });
    let resolved = false;
    const injected = broker.inject(batch(0, 8)).then(() => {
      resolved = true;
    });
    for (let i = 0; i < 8; i++) {
      const [packet] = await client.publishes(1);
      await client.nothing();
      if (i === 0) expect(resolved).toBe(false);
      client.send({ cmd: "puback", messageId: packet?.messageId ?? 0, reasonCode: 0 });
    }
    await injected;
    expect(broker.stats().clients).toBe(1);
  });

  test("make publishers wait for their acknowledgements, who can do everything else", async () => {
    const { port } = await start({ maxQueuedMessages: 10 });
    const client = await connect(port, { properties: { receiveMaximum: 1 } });
    await subscribe(client, "t", { qos: 1 });
    const publisher = await connect(port);
    publisher.send(
      ...Array.from({ length: 8 }, (_, i) =>
        publishPacket("t", `${i}`, { qos: 1, messageId: i + 1 }),
      ),
    );
    const got = await client.publishes(1);
    await publisher.nothing();
    while (got.length < 8) {
      client.send({ cmd: "puback", messageId: got.at(-1)?.messageId ?? 0, reasonCode: 0 });
      got.push(...(await client.publishes(1)));
    }
    for (let i = 1; i <= 8; i++) expect((await publisher.next("puback")).messageId).toBe(i);
    expect(text(got)).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
  });

  test("who do not read lose QoS 0 only, and what waits for them is bounded", async () => {
    const { broker, port } = await start({ maxQueuedBytes: 2 ** 22, slowClientTimeout: 500 });
    const drops = events(broker, "drop");
    const client = await connect(port, { clientId: "deaf" });
    await subscribe(client, "t", { qos: 1 });
    client.socket.pause();
    const payload = Buffer.alloc(65_536);
    const publisher = await connect(port);
    for (let i = 0; i < 400; i++) {
      publisher.send({ ...publishPacket("t", ""), payload });
      if (i % 20 === 0) await publisher.nothing();
    }
    await publisher.nothing();
    await until(() => drops.length > 0, "a drop");
    expect(drops[0]).toEqual(["deaf", { reason: "slow-client", messages: 1 }]);
    await until(() => broker.stats().clients === 1, "the end of the deaf client");
    expect(broker.stats().queuedMessages).toBe(0);
  });

  test("who ask for answers and do not read them are not read from, and then disconnected", async () => {
    const options = { maxPacketSize: 1_000, slowClientTimeout: 1_000 };
    const { broker, port } = await start(options);
    const disconnects = events(broker, "disconnect");
    const client = await connect(port, { clientId: "deaf" });
    client.socket.pause();
    const pings = Buffer.alloc(2_000_000, Buffer.from("c000", "hex"));
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < 20; i++) client.write(pings); // 40 MB
    await until(() => disconnects.length > 0, "its end");
    expect(disconnects[0]).toEqual([
      expect.objectContaining({ clientId: "deaf" }),
      { reasonCode: 0x97, reason: "It did not read its answers for 1000 ms." },
    ]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(60_000_000);
    const other = await connect(port);
    await other.nothing();
  });

  test("that are away: what their queue cannot take is dropped and told, the oldest stay", async () => {
    const { broker, port } = await start({ maxQueuedMessages: 3 });
    const drops = events(broker, "drop");
    const options = { clientId: "s", properties: { sessionExpiryInterval: 100 } };
    const first = await connect(port, options);
    await subscribe(first, "t", { qos: 1 });
    await first.cut();
    await until(() => broker.stats().clients === 0);
    await broker.inject(batch(0, 5));
    expect(drops[0]).toEqual(["s", { reason: "queue-full", messages: 1 }]);
    await until(() => drops.length === 2, "the second event");
    expect(drops[1]).toEqual(["s", { reason: "queue-full", messages: 1 }]);
    const second = await connect(port, { ...options, clean: false });
    expect(text(await second.publishes(3))).toEqual(["0", "1", "2"]);
  });
});
