import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { events, start } from "./support/broker.ts";
import { connect, publish, publishPacket, subscribe } from "./support/raw-client.ts";

const text = (payload: string | Buffer): string => payload.toString();

describe.each([
  [4, 4],
  [4, 5],
  [5, 4],
  [5, 5],
] as const)("from version %i to version %i", (from, to) => {
  test.each([
    [0, 0, 0],
    [0, 2, 0],
    [1, 0, 0],
    [1, 1, 1],
    [1, 2, 1],
    [2, 0, 0],
    [2, 1, 1],
    [2, 2, 2],
  ] as const)(
    "QoS %i to a subscription of QoS %i comes with QoS %i",
    async (sent, granted, qos) => {
      const { port } = await start();
      const subscriber = await connect(port, { version: to });
      expect(await subscribe(subscriber, "a/b", { qos: granted })).toEqual([granted]);
      const publisher = await connect(port, { version: from });
      expect(await publish(publisher, "a/b", "hello", { qos: sent, messageId: 9 })).toBe(0);
      const packet = await subscriber.next("publish");
      expect(packet).toMatchObject({ topic: "a/b", qos, dup: false, retain: false });
      expect(text(packet.payload)).toBe("hello");
      const { messageId = 0 } = packet;
      if (qos === 1) subscriber.send({ cmd: "puback", messageId, reasonCode: 0 });
      if (qos === 2) {
        subscriber.send({ cmd: "pubrec", messageId, reasonCode: 0 });
        expect((await subscriber.next("pubrel")).messageId).toBe(messageId);
        subscriber.send({ cmd: "pubcomp", messageId, reasonCode: 0 });
      }
      await subscriber.nothing();
    },
  );
});

test("a QoS 2 message that comes twice is published once, until it is released", async () => {
  const { port } = await start();
  const subscriber = await connect(port);
  await subscribe(subscriber, "t", { qos: 0 });
  const publisher = await connect(port);
  publisher.send(publishPacket("t", "once", { qos: 2, messageId: 3 }));
  await publisher.next("pubrec");
  publisher.send(publishPacket("t", "once", { qos: 2, messageId: 3, dup: true }));
  await publisher.next("pubrec");
  publisher.send({ cmd: "pubrel", messageId: 3 });
  expect((await publisher.next("pubcomp")).reasonCode).toBe(0);
  publisher.send({ cmd: "pubrel", messageId: 3 });
  expect((await publisher.next("pubcomp")).reasonCode).toBe(0x92);
  publisher.send(publishPacket("t", "anew", { qos: 2, messageId: 3 }));
  await publisher.next("pubrec");
  expect((await subscriber.publishes(2)).map(({ payload }) => text(payload))).toEqual([
    "once",
    "anew",
  ]);
  await subscriber.nothing();
});

test("PUBREC with an error ends the delivery; PUBREC for nothing is answered", async () => {
  const { port } = await start();
  const subscriber = await connect(port, { properties: { receiveMaximum: 1 } });
  await subscribe(subscriber, "t", { qos: 2 });
  const publisher = await connect(port);
  await publish(publisher, "t", "1", { qos: 2 });
  await publish(publisher, "t", "2", { qos: 2 });
  const { messageId = 0 } = await subscriber.next("publish");
  subscriber.send({ cmd: "pubrec", messageId, reasonCode: 0x97 });
  expect(text((await subscriber.next("publish")).payload)).toBe("2");
  subscriber.send({ cmd: "pubrec", messageId: 999, reasonCode: 0 });
  expect(await subscriber.next("pubrel")).toMatchObject({ messageId: 999, reasonCode: 0x92 });
});

test("acknowledgements of one read come in order, with the reason each", async () => {
  const { port } = await start({ authorizePublish: (_client, topic) => topic !== "secret" });
  const subscriber = await connect(port);
  await subscribe(subscriber, "known");
  const client = await connect(port);
  client.send(
    publishPacket("known", "", { qos: 1, messageId: 1 }),
    publishPacket("secret", "", { qos: 2, messageId: 2 }),
    publishPacket("unknown", "", { qos: 1, messageId: 3 }),
    publishPacket("known", "", { qos: 2, messageId: 4 }),
    publishPacket("secret", "", { qos: 1, messageId: 5 }),
  );
  expect(await client.next("puback")).toMatchObject({ messageId: 1, reasonCode: 0 });
  expect(await client.next("pubrec")).toMatchObject({ messageId: 2, reasonCode: 0x87 });
  expect(await client.next("puback")).toMatchObject({ messageId: 3, reasonCode: 0x10 });
  expect(await client.next("pubrec")).toMatchObject({ messageId: 4, reasonCode: 0 });
  expect(await client.next("puback")).toMatchObject({ messageId: 5, reasonCode: 0x87 });
  await subscriber.publishes(2);
  await subscriber.nothing();
});

test("MQTT 3.1.1 cannot be told of a refusal: it is acknowledged, dropped and told of here", async () => {
  const { broker, port } = await start({ authorizePublish: () => false });
  const drops = events(broker, "drop");
  const client = await connect(port, { version: 4, clientId: "c" });
  client.send(publishPacket("t", "x", { qos: 1, messageId: 1 }));
  expect((await client.next("puback")).messageId).toBe(1);
  expect(drops).toEqual([["c", { reason: "refused", messages: 1 }]]);
  expect(broker.stats().dropped).toBe(1);
});

test("what mqtt-packet writes comes as mqtt-packet reads it, in the same order of properties", async () => {
  const { port } = await start();
  const subscriber = await connect(port);
  await subscribe(subscriber, "#");
  const publisher = await connect(port);
  const line = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
    .filter((t) => !/\0/.test(t));
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        topic: line.filter((t) => !/[+#]/.test(t) && !t.startsWith("$")),
        payload: fc.uint8Array({ maxLength: 2_000 }),
        properties: fc.record(
          {
            payloadFormatIndicator: fc.boolean(),
            messageExpiryInterval: fc.integer({ min: 100_000, max: 4_294_967_295 }),
            topicAlias: fc.integer({ min: 1, max: 1_024 }),
            contentType: line,
            responseTopic: line,
            correlationData: fc.uint8Array({ maxLength: 20 }).map((data) => Buffer.from(data)),
            userProperties: fc.dictionary(
              line.filter((t) => t !== "__proto__"),
              line,
              { minKeys: 1 },
            ),
          },
          { requiredKeys: [] },
        ),
      }),
      async ({ topic, payload, properties }) => {
        const packet = {
          ...publishPacket(topic, "", { properties }),
          payload: Buffer.from(payload),
        };
        publisher.send(packet);
        const got = await subscriber.next("publish");
        expect(got.topic).toBe(topic);
        expect(Buffer.from(payload).equals(got.payload as Buffer)).toBe(true);
        const { userProperties, messageExpiryInterval = 0, ...rest } = got.properties ?? {};
        const {
          userProperties: sent,
          topicAlias,
          messageExpiryInterval: expiry = 0,
          ...others
        } = properties;
        expect(rest).toEqual(others);
        expect(expiry - messageExpiryInterval).toBeLessThan(100);
        expect(Object.entries(userProperties ?? {})).toEqual(Object.entries(sent ?? {}));
      },
    ),
    { numRuns: 60 },
  );
});

test("the order of user properties stays, even among equal names", async () => {
  const { port } = await start();
  const subscriber = await connect(port);
  await subscribe(subscriber, "t");
  const publisher = await connect(port);
  const raw: Buffer[] = [];
  subscriber.socket.on("data", (chunk: Buffer) => raw.push(chunk));
  const user = (name: string, value: string) =>
    Buffer.from([
      0x26,
      0,
      name.length,
      ...Buffer.from(name),
      0,
      value.length,
      ...Buffer.from(value),
    ]);
  const properties = Buffer.concat([
    user("b", "1"),
    Buffer.from([0x02, 0, 0, 0, 60]),
    user("a", "2"),
    Buffer.from([0x23, 0, 1]),
    user("b", "3"),
  ]);
  publisher.write(
    Buffer.concat([
      Buffer.from([0x30, 4 + properties.length, 0, 1, 0x74, properties.length]),
      properties,
    ]),
  );
  await subscriber.next("publish");
  const expected = Buffer.concat([user("b", "1"), user("a", "2"), user("b", "3")]);
  expect(Buffer.concat(raw).includes(expected)).toBe(true);
});

describe("topic aliases of a client", () => {
  test("stand for the topic they came with, and can be given anew", async () => {
    const { port } = await start();
    const subscriber = await connect(port);
    await subscribe(subscriber, "#");
    const client = await connect(port);
    const send = (topic: string, payload: string, topicAlias: number) =>
      client.send(publishPacket(topic, payload, { properties: { topicAlias } }));
    send("one", "1", 1);
    send("", "2", 1);
    send("two", "3", 1);
    send("", "4", 1);
    send("three", "5", 1_024);
    send("", "6", 1_024);
    const got = await subscriber.publishes(6);
    expect(got.map(({ topic, payload }) => `${topic} ${payload}`)).toEqual([
      "one 1",
      "one 2",
      "two 3",
      "two 4",
      "three 5",
      "three 6",
    ]);
    expect(got.every(({ properties }) => properties === undefined)).toBe(true);
  });

  test.each([
    ["unknown", "", 5],
    ["above the maximum", "t", 1_025],
    ["zero", "t", 0],
  ])("%s: the client is disconnected", async (_, topic, topicAlias) => {
    const { port } = await start();
    const client = await connect(port);
    const alias = Buffer.from([0x23, topicAlias >> 8, topicAlias & 255]);
    client.write(
      Buffer.from([
        0x30,
        2 + topic.length + 4,
        0,
        topic.length,
        ...Buffer.from(topic),
        3,
        ...alias,
      ]),
    );
    expect(await client.disconnected()).toBe(0x94);
  });

  test("belong to their connection", async () => {
    const { port } = await start();
    const options = { clientId: "c", properties: { sessionExpiryInterval: 60 } };
    const first = await connect(port, options);
    await publish(first, "t", "x", { qos: 1, properties: { topicAlias: 1 } });
    await first.cut();
    const second = await connect(port, { ...options, clean: false });
    second.send(publishPacket("", "y", { properties: { topicAlias: 1 } }));
    expect(await second.disconnected()).toBe(0x94);
  });
});

test("topic aliases towards a client: as many as it allows", async () => {
  const { broker, port } = await start();
  const client = await connect(port, { properties: { topicAliasMaximum: 2 } });
  await subscribe(client, "#", { qos: 1 });
  await broker.inject(["a", "b", "c", "a", "b", "c"].map((topic) => ({ topic, payload: topic })));
  const got = await client.publishes(6);
  expect(got.map(({ topic, properties }) => [topic, properties?.topicAlias])).toEqual([
    ["a", 1],
    ["b", 2],
    ["c", undefined],
    ["", 1],
    ["", 2],
    ["c", undefined],
  ]);
});
