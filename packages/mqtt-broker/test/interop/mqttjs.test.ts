import { setTimeout as sleep } from "node:timers/promises";
import mqtt, { type IClientOptions, type IPublishPacket, type MqttClient } from "mqtt";
import { describe, expect, onTestFinished, test } from "vitest";
import { events, start, until } from "../support/broker.ts";

interface Peer {
  readonly client: MqttClient;
  readonly got: IPublishPacket[];
  readonly sessionPresent: boolean;
}

async function connect(url: string, options: IClientOptions = {}): Promise<Peer> {
  const client = mqtt.connect(url, { reconnectPeriod: 0, ...options });
  onTestFinished(() => client.endAsync(true));
  const got: IPublishPacket[] = [];
  client.on("message", (topic, _payload, packet) => got.push({ ...packet, topic })); // It knows the aliases.
  client.on("error", () => {});
  const sessionPresent = await new Promise<boolean>((resolve, reject) => {
    client.once("connect", (connack) => resolve(connack.sessionPresent));
    client.once("error", reject);
  });
  return { client, got, sessionPresent };
}

const texts = ({ got }: Peer): string[] => got.map(({ payload }) => payload.toString());
const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => `${i}`);
const persistent = (protocolVersion: 4 | 5, clientId: string): IClientOptions => ({
  protocolVersion,
  clientId,
  clean: false,
  ...(protocolVersion === 5 && { properties: { sessionExpiryInterval: 60 } }),
});

describe.each([4, 5] as const)("mqtt.js, version %i", (protocolVersion) => {
  test.each([0, 1, 2] as const)("QoS %i: thousands in order, both ways", async (qos) => {
    const { broker, url } = await start();
    const peer = await connect(url, { protocolVersion });
    await peer.client.subscribeAsync("t/#", { qos: 2 });
    await Promise.all(
      numbers(2_000).map((text) => peer.client.publishAsync("t/up", text, { qos })),
    );
    await until(() => peer.got.length === 2_000);
    await broker.inject(numbers(2_000).map((payload) => ({ topic: "t/down", payload, qos })));
    await until(() => peer.got.length === 4_000);
    expect(texts(peer)).toEqual([...numbers(2_000), ...numbers(2_000)]);
    expect(peer.got.every((packet) => packet.qos === qos)).toBe(true);
  });

  test("goes on after a cut, with everything exactly once at QoS 2 and in order", async () => {
    const { broker, url } = await start();
    const peer = await connect(url, { ...persistent(protocolVersion, "s"), reconnectPeriod: 20 });
    await peer.client.subscribeAsync("t", { qos: 2 });
    const sending = (async () => {
      for (let from = 0; from < 1_000; from += 50) {
        await broker.inject(
          numbers(50).map((_, i) => ({ topic: "t", payload: `${from + i}`, qos: 2 })),
        );
        await sleep(5);
      }
    })();
    for (let cut = 0; cut < 5; cut++) {
      await sleep(30);
      peer.client.stream.destroy();
    }
    await sending;
    await until(() => peer.got.length >= 1_000);
    await sleep(100);
    expect(texts(peer)).toEqual(numbers(1_000));
  });

  test("goes on after a cut at QoS 1, in order, what comes twice is marked", async () => {
    const { broker, url } = await start();
    const peer = await connect(url, { ...persistent(protocolVersion, "s"), reconnectPeriod: 20 });
    await peer.client.subscribeAsync("t", { qos: 1 });
    for (let round = 0; round < 5; round++) {
      const injected = broker.inject(
        numbers(400).map((_, i) => ({ topic: "t", payload: `${round * 400 + i}`, qos: 1 })),
      );
      peer.client.stream.destroy();
      await injected;
      await until(() => peer.client.connected);
    }
    await until(() => new Set(texts(peer)).size === 2_000);
    const firsts = [...new Set(texts(peer))];
    expect(firsts).toEqual(numbers(2_000));
    const seen = new Set<string>();
    for (const { payload, dup } of peer.got) {
      if (seen.has(payload.toString())) expect(dup).toBe(true);
      seen.add(payload.toString());
    }
  });

  test("a publisher that is cut loses nothing", async () => {
    const { url } = await start();
    const subscriber = await connect(url, { protocolVersion });
    await subscriber.client.subscribeAsync("t", { qos: 1 });
    const publisher = await connect(url, {
      ...persistent(protocolVersion, "p"),
      reconnectPeriod: 20,
    });
    const confirmed = numbers(500).map((text) =>
      publisher.client.publishAsync("t", text, { qos: 1 }),
    );
    publisher.client.stream.destroy();
    await Promise.all(confirmed);
    await until(() => new Set(texts(subscriber)).size === 500);
  });

  test("retained, wildcards, shared, takeover", async () => {
    const { broker, url } = await start();
    const a = await connect(url, { protocolVersion, clientId: "a" });
    await a.client.publishAsync("x/1", "kept", { qos: 1, retain: true });
    await a.client.subscribeAsync(["x/+", "$share/g/work/#"], { qos: 1 });
    await until(() => a.got.length === 1);
    expect(a.got[0]?.retain).toBe(true);
    const b = await connect(url, { protocolVersion, clientId: "b" });
    await b.client.subscribeAsync("$share/g/work/#", { qos: 1 });
    await broker.inject(numbers(10).map((payload) => ({ topic: "work/w", payload, qos: 1 })));
    await until(() => a.got.length === 6 && b.got.length === 5);
    const disconnects = events(broker, "disconnect");
    await connect(url, { protocolVersion, clientId: "b" });
    expect(disconnects[0]).toMatchObject([{ clientId: "b" }, { reasonCode: 0x8e }]);
    await until(() => !b.client.connected);
  });

  test("will, keep-alive, disconnection by the broker", async () => {
    const { broker, url } = await start();
    const watching = await connect(url, { protocolVersion });
    await watching.client.subscribeAsync("will/#", { qos: 1 });
    const will = { topic: "will/c", payload: Buffer.from("gone"), qos: 1 as const, retain: false };
    const dying = await connect(url, { protocolVersion, clientId: "c", will, keepalive: 1 });
    await sleep(2_000); // Pings keep it alive.
    expect(dying.client.connected).toBe(true);
    const reasons: (number | undefined)[] = [];
    dying.client.on("disconnect", ({ reasonCode }) => reasons.push(reasonCode));
    broker.disconnect("c");
    await until(() => texts(watching).includes("gone"));
    await until(() => !dying.client.connected);
    expect(reasons).toEqual(protocolVersion === 5 ? [0x98] : []);
  });

  test("refusals", async () => {
    const { url } = await start({
      authenticate: ({ password }) => password?.toString() === "right",
      authorizePublish: (_client, topic) => topic !== "secret",
      authorizeSubscribe: async (_client, { filter }) => filter !== "secret",
    });
    await expect(
      connect(url, { protocolVersion, username: "u", password: "wrong" }),
    ).rejects.toMatchObject({
      code: protocolVersion === 5 ? 0x86 : 4,
    });
    const { client } = await connect(url, { protocolVersion, username: "u", password: "right" });
    await expect(client.subscribeAsync("secret")).rejects.toThrow(
      /not authorized|Unspecified|128|135/i,
    );
    if (protocolVersion === 5) {
      await expect(client.publishAsync("secret", "", { qos: 1 })).rejects.toMatchObject({
        code: 0x87,
      });
      await expect(client.publishAsync("secret", "", { qos: 2 })).rejects.toMatchObject({
        code: 0x87,
      });
    }
    await client.publishAsync("open", "", { qos: 2 });
  });
});

describe("mqtt.js, what is new in version 5", () => {
  const protocolVersion = 5;

  test("aliases both ways, receive maximum, subscription identifiers, properties", async () => {
    const { url } = await start();
    const peer = await connect(url, {
      protocolVersion,
      autoAssignTopicAlias: true,
      properties: { topicAliasMaximum: 5, receiveMaximum: 3 },
    });
    await peer.client.subscribeAsync("t/#", { qos: 2, properties: { subscriptionIdentifier: 77 } });
    const properties = {
      contentType: "text/plain",
      correlationData: Buffer.from("c"),
      userProperties: { a: ["1", "2"], b: "3" },
    };
    for (const text of numbers(50)) {
      await peer.client.publishAsync(`t/${Number(text) % 10}`, text, {
        qos: 1,
        properties: { ...properties },
      });
    }
    await until(() => peer.got.length === 50);
    expect(texts(peer)).toEqual(numbers(50));
    expect(peer.got.map(({ topic }) => topic)).toEqual(
      numbers(50).map((n) => `t/${Number(n) % 10}`),
    );
    const { userProperties, topicAlias, ...rest } = peer.got[49]?.properties ?? {};
    expect({ ...userProperties }).toEqual(properties.userProperties);
    expect(rest).toEqual({
      contentType: "text/plain",
      correlationData: Buffer.from("c"),
      subscriptionIdentifier: 77,
    });
  });

  test("message and session expiry, will delay", async () => {
    const { broker, url } = await start();
    const watching = await connect(url, { protocolVersion });
    await watching.client.subscribeAsync("will");
    const will = {
      topic: "will",
      payload: Buffer.from("gone"),
      qos: 0 as const,
      retain: false,
      properties: { willDelayInterval: 1 },
    };
    const options = { ...persistent(5, "s"), properties: { sessionExpiryInterval: 2 }, will };
    const first = await connect(url, options);
    await first.client.subscribeAsync("t", { qos: 1 });
    first.client.stream.destroy();
    await until(() => broker.stats().clients === 1);
    await watching.client.publishAsync("t", "short", {
      qos: 1,
      properties: { messageExpiryInterval: 1 },
    });
    await watching.client.publishAsync("t", "long", {
      qos: 1,
      properties: { messageExpiryInterval: 60 },
    });
    await until(() => texts(watching).includes("gone"));
    await sleep(200);
    const second = await connect(url, options);
    expect(second.sessionPresent).toBe(true);
    await until(() => second.got.length > 0);
    expect(texts(second)).toEqual(["long"]);
    second.client.stream.destroy();
    await until(() => broker.stats().sessions === 1, "the end of the session");
    expect((await connect(url, options)).sessionPresent).toBe(false);
  });

  test("no local, retain handling, retain as published", async () => {
    const { url } = await start();
    const peer = await connect(url, { protocolVersion });
    await peer.client.publishAsync("t", "kept", { qos: 1, retain: true });
    await peer.client.subscribeAsync("t", { qos: 1, nl: true, rh: 2, rap: true });
    await peer.client.publishAsync("t", "mine", { qos: 1 });
    const other = await connect(url, { protocolVersion });
    await other.client.publishAsync("t", "theirs", { qos: 1, retain: true });
    await until(() => peer.got.length > 0);
    expect(texts(peer)).toEqual(["theirs"]);
    expect(peer.got[0]?.retain).toBe(true);
  });

  test("maximum packet size both ways", async () => {
    const { broker, url } = await start({ maxPacketSize: 10_000 });
    const peer = await connect(url, { protocolVersion, properties: { maximumPacketSize: 200 } });
    await peer.client.subscribeAsync("t", { qos: 1 });
    await broker.inject(
      ["x".repeat(300), "fits"].map((payload) => ({ topic: "t", payload, qos: 1 })),
    );
    await until(() => peer.got.length > 0);
    expect(texts(peer)).toEqual(["fits"]);
    const reasons: (number | undefined)[] = [];
    peer.client.on("disconnect", ({ reasonCode }) => reasons.push(reasonCode));
    peer.client.publish("t", "x".repeat(20_000), () => {});
    await until(() => reasons.length > 0);
    expect(reasons).toEqual([0x95]);
  });
});
