import { InjectError, type InjectedMessage } from "@lab/mqtt-broker";
import { describe, expect, test } from "vitest";
import { events, start } from "./support/broker.ts";
import { connect, open, publishPacket, subscribe } from "./support/raw-client.ts";

const batch = (count: number, topic = "t", qos: 0 | 1 | 2 = 1): InjectedMessage[] =>
  Array.from({ length: count }, (_, i) => ({ topic, payload: `${i}`, qos }));

describe("inject", () => {
  test("publishes text and bytes, retained, with properties", async () => {
    const { broker, port } = await start();
    const properties = {
      payloadFormatIndicator: true,
      contentType: "text/plain",
      responseTopic: "r",
      correlationData: new Uint8Array([1, 2]),
      userProperties: { at: "1", tags: ["a", "b"], ключ: "значение" },
    };
    const client = await connect(port);
    await subscribe(client, "a/#", { qos: 2, rap: true });
    await broker.inject([
      { topic: "a/1", payload: "текст", qos: 2, retain: true, properties },
      { topic: "a/2", payload: new Uint8Array([0, 255]) },
    ]);
    const [first, second] = await client.publishes(2);
    expect(first).toMatchObject({ topic: "a/1", qos: 2, retain: true });
    expect(first?.payload.toString()).toBe("текст");
    expect({
      ...first?.properties,
      userProperties: { ...first?.properties?.userProperties },
    }).toEqual({
      ...properties,
      correlationData: Buffer.from([1, 2]),
    });
    expect(second).toMatchObject({ topic: "a/2", qos: 0, retain: false });
    expect(second?.payload).toEqual(Buffer.from([0, 255]));
    expect(broker.stats()).toMatchObject({ injected: 2, sent: 2, retainedMessages: 1 });
  });

  test("gives way to the network, however the messages are divided into batches", async () => {
    const { broker } = await start();
    for (const size of [1, 400, 10_000]) {
      let turns = 0;
      let counting = true;
      const count = (): void => {
        turns++;
        if (counting) setImmediate(count);
      };
      setImmediate(count);
      for (let sent = 0; sent < 10_000; sent += size) await broker.inject(batch(size));
      counting = false;
      expect(turns).toBeGreaterThanOrEqual(8);
    }
  });

  test("reaches each client with one write, in order", async () => {
    const { broker, port } = await start();
    const clients = [await connect(port), await connect(port, { version: 4 })];
    let writes = 0;
    for (const client of clients) {
      await subscribe(client, "#", { qos: 1 });
      client.socket.on("data", () => writes++);
    }
    await broker.inject(
      Array.from({ length: 500 }, (_, i) => ({ topic: `t/${i}`, payload: "x".repeat(60), qos: 1 })),
    );
    for (const client of clients) {
      const got = await client.publishes(500);
      expect(got.map(({ topic }) => topic)).toEqual(
        Array.from({ length: 500 }, (_, i) => `t/${i}`),
      );
    }
    // 37 kB each: a single write, which the reader may see in a few parts.
    expect(writes).toBeLessThan(20);
  });

  test("calls that are not awaited stay in order, however long each is", async () => {
    const { broker, port } = await start({ maxQueuedMessages: 3_000 });
    const client = await connect(port, { properties: { receiveMaximum: 100 } });
    await subscribe(client, "t", { qos: 1 });
    const payload = (call: number, i: number): string => `${call}.${i}`;
    const sizes = [1, 2_500, 1, 3_000, 10, 1];
    const calls = sizes.map((size, call) =>
      broker.inject(
        Array.from({ length: size }, (_, i) => ({ topic: "t", payload: payload(call, i), qos: 1 })),
      ),
    );
    const expected = sizes.flatMap((size, call) =>
      Array.from({ length: size }, (_, i) => payload(call, i)),
    );
    const got: string[] = [];
    while (got.length < expected.length) {
      const packet = await client.next("publish");
      got.push(packet.payload.toString());
      client.send({ cmd: "puback", messageId: packet.messageId ?? 0, reasonCode: 0 });
    }
    await Promise.all(calls);
    expect(got).toEqual(expected);
    expect(broker.stats().dropped).toBe(0);
  });

  test("lets clients be served between chunks of a long batch", async () => {
    const { broker, port } = await start();
    const client = await connect(port);
    let done = false;
    const injected = broker.inject(batch(200_000, "nobody")).then(() => {
      done = true;
    });
    client.send({ cmd: "pingreq" });
    await client.next("pingresp");
    expect(done).toBe(false);
    await injected;
  });

  test("one bad message among good ones: the good are published, the error names the bad", async () => {
    const { broker, port } = await start({ maxPacketSize: 1_000 });
    const client = await connect(port);
    await subscribe(client, "#", { qos: 1 });
    const bad: [unknown, string, RegExp][] = [
      [{ topic: "a/#", payload: "" }, "INVALID_OPTION", /"a\/#".*subscriptions/],
      [{ topic: "", payload: "" }, "INVALID_OPTION", /empty/],
      [{ topic: "a\0", payload: "" }, "INVALID_OPTION", /0000/],
      [{ topic: 7, payload: "" }, "INVALID_OPTION", /a number/],
      [{ topic: null, payload: "" }, "INVALID_OPTION", /null/],
      [{ topic: "a/".repeat(200), payload: "" }, "INVALID_OPTION", /128 levels/],
      [{ topic: "x".repeat(70_000), payload: "" }, "INVALID_OPTION", /65535 bytes/],
      [{ topic: "t" }, "INVALID_OPTION", /payload/],
      [{ topic: "t", payload: { a: 1 } }, "INVALID_OPTION", /payload/],
      [{ topic: "t", payload: "", qos: 3 }, "INVALID_OPTION", /qos/],
      [{ topic: "t", payload: "", retain: 1 }, "INVALID_OPTION", /retain/],
      [null, "INVALID_OPTION", /null/],
      [{ topic: "t", payload: "x".repeat(1_000) }, "UNSUPPORTED_MESSAGE", /1000/],
      [{ topic: "t", payload: "", properties: 1 }, "INVALID_OPTION", /properties/],
      [
        { topic: "t", payload: "", properties: { messageExpiryInterval: -1 } },
        "INVALID_OPTION",
        /Expiry/,
      ],
      [
        { topic: "t", payload: "", properties: { contentType: 1 } },
        "INVALID_OPTION",
        /contentType/,
      ],
      [
        { topic: "t", payload: "", properties: { correlationData: "x" } },
        "INVALID_OPTION",
        /correlation/,
      ],
      [
        { topic: "t", payload: "", properties: { userProperties: { a: 1 } } },
        "INVALID_OPTION",
        /"a"/,
      ],
      [
        { topic: "t", payload: "", properties: { userProperties: { a: "\0" } } },
        "INVALID_OPTION",
        /0000/,
      ],
      [
        { topic: "t", payload: "", properties: { userProperties: { a: "x".repeat(70_000) } } },
        "INVALID_OPTION",
        /65535/,
      ],
    ];
    const good = { topic: "good", payload: "!", qos: 1 } as const;
    const messages = bad.flatMap(([message]) => [message as InjectedMessage, good]);
    const error = await broker.inject(messages).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(InjectError);
    const { code, message, failures } = error as InjectError;
    expect(code).toBe("PUBLISH_FAILED");
    expect(message).toMatch(new RegExp(`^${bad.length} of ${messages.length} .*index 0`));
    expect(failures.map(({ index }) => index)).toEqual(bad.map((_, i) => 2 * i));
    for (const [i, [, expected, pattern]] of bad.entries()) {
      expect(failures[i]?.error).toMatchObject({
        code: expected,
        message: expect.stringMatching(pattern),
      });
    }
    const got = await client.publishes(bad.length);
    expect(got.every(({ topic }) => topic === "good")).toBe(true);
    await client.nothing();
  });

  test("refuses what is not an array", async () => {
    const { broker } = await start();
    const single = { topic: "t", payload: "" } as unknown as InjectedMessage[];
    await expect(broker.inject(single)).rejects.toMatchObject({ code: "INVALID_OPTION" });
    await broker.inject([]);
  });

  test("does not need the bytes it was given any more", async () => {
    const { broker, port } = await start();
    const options = {
      clientId: "s",
      properties: { sessionExpiryInterval: 100, receiveMaximum: 1 },
    };
    const client = await connect(port, options);
    await subscribe(client, "t", { qos: 1 });
    const payload = Buffer.from("before");
    await broker.inject([1, 2].map(() => ({ topic: "t", payload, qos: 1, retain: true })));
    payload.fill("x");
    await client.publishes(1);
    await client.cut();
    const again = await connect(port, { ...options, clean: false });
    const [packet] = await again.publishes(1);
    again.send({ cmd: "puback", messageId: packet?.messageId ?? 0, reasonCode: 0 });
    expect([packet, ...(await again.publishes(1))].map((p) => p?.payload.toString())).toEqual([
      "before",
      "before",
    ]);
    const other = await connect(port);
    await subscribe(other, "t");
    expect((await other.next("publish")).payload.toString()).toBe("before");
  });

  test("works from within events", async () => {
    const { broker, port } = await start();
    const injected: Promise<void>[] = [];
    broker.on("connect", ({ clientId }) =>
      injected.push(broker.inject([{ topic: "on", payload: clientId, retain: true }])),
    );
    broker.on("subscribe", (_, [subscription]) =>
      injected.push(broker.inject([{ topic: "hello", payload: subscription?.filter ?? "" }])),
    );
    const client = await connect(port, { clientId: "c" });
    await subscribe(client, "#");
    expect((await client.publishes(2)).map(({ payload }) => payload.toString())).toEqual([
      "c",
      "#",
    ]);
    await Promise.all(injected);
  });
});

describe("onMessages", () => {
  test("gets what one read has brought, in order, and holds the acknowledgements back", async () => {
    let release: () => void = () => {};
    const batches: string[][] = [];
    const { port } = await start({
      onMessages: (messages, { clientId }) => {
        batches.push(
          messages.map(({ topic, payload, qos, retain, properties }) =>
            [
              clientId,
              topic,
              payload,
              qos,
              retain,
              JSON.stringify(properties?.userProperties),
            ].join(" "),
          ),
        );
        return new Promise((resolve) => {
          release = resolve;
        });
      },
    });
    const other = await connect(port);
    await subscribe(other, "#");
    const client = await connect(port, { clientId: "c" });
    client.send(
      publishPacket("a", "1", { qos: 1, messageId: 1, properties: { userProperties: { k: "v" } } }),
      publishPacket("b", "2", { qos: 0, retain: true }),
      publishPacket("c", "3", { qos: 2, messageId: 2 }),
    );
    await other.publishes(3); // Others do not wait for the application.
    await client.nothing();
    expect(batches).toEqual([['c a 1 1 false {"k":"v"}', "c b 2 0 true ", "c c 3 2 false "]]);
    client.send(publishPacket("d", "4", { qos: 1, messageId: 3 }));
    await client.nothing();
    const second = release;
    release = () => {};
    second();
    await client.nothing();
    expect(batches).toHaveLength(2);
  });

  test("acknowledges in order when the promises resolve in another", async () => {
    const releases: (() => void)[] = [];
    const { port } = await start({
      onMessages: () => new Promise((resolve) => releases.push(resolve)),
    });
    const client = await connect(port);
    for (const messageId of [1, 2, 3]) {
      client.send(publishPacket("t", "", { qos: 1, messageId }));
      await client.nothing();
    }
    releases[2]?.();
    releases[1]?.();
    await client.nothing();
    releases[0]?.();
    for (const messageId of [1, 2, 3])
      expect((await client.next("puback")).messageId).toBe(messageId);
  });

  test("that fails refuses what came, and is told", async () => {
    const { broker, port } = await start({
      onMessages: async () => {
        throw new Error("full");
      },
    });
    const failures = events(broker, "hookFailed");
    const client = await connect(port);
    client.send(
      publishPacket("t", "", { qos: 1, messageId: 1 }),
      publishPacket("t", "", { qos: 2, messageId: 2 }),
    );
    expect(await client.next("puback")).toMatchObject({ messageId: 1, reasonCode: 0x83 });
    expect(await client.next("pubrec")).toMatchObject({ messageId: 2, reasonCode: 0x83 });
    client.send({ cmd: "pubrel", messageId: 2 });
    expect((await client.next("pubcomp")).reasonCode).toBe(0x92);
    const old = await connect(port, { version: 4 });
    old.send(publishPacket("t", "", { qos: 1 }));
    await old.gone();
    expect(old.inbox).toEqual([]);
    expect(failures.map(([error, hook]) => [error.message, hook])).toEqual([
      ["full", "onMessages"],
      ["full", "onMessages"],
    ]);
  });

  test("gets what comes with the end of the client, before it", async () => {
    const order: string[] = [];
    const { broker, port } = await start({
      onMessages: (messages) => {
        order.push(...messages.map(({ payload }) => payload.toString()));
      },
    });
    broker.on("disconnect", (_client, { reasonCode }) => order.push(`end ${reasonCode}`));
    const first = await connect(port);
    first.send(publishPacket("t", "last words"), { cmd: "disconnect", reasonCode: 0 });
    await first.gone();
    const second = await connect(port);
    second.send(publishPacket("t", "before the fault"), { cmd: "auth", reasonCode: 0 });
    await second.disconnected();
    expect(order).toEqual(["last words", "end 0", "before the fault", "end 130"]);
  });

  test("gets wills", async () => {
    const got: string[] = [];
    const { port } = await start({
      onMessages: ([message], { clientId }) => {
        got.push(`${clientId} ${message?.topic} ${message?.payload}`);
      },
    });
    const client = open(port, {
      clientId: "c",
      will: { topic: "will", payload: Buffer.from("gone"), qos: 0, retain: false },
    });
    await client.next("connack");
    await client.cut();
    const watching = await connect(port);
    while (got.length === 0) await watching.nothing();
    expect(got).toEqual(["c will gone"]);
  });
});
