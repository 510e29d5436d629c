import { inspect } from "node:util";
import { type MqttSubscriberOptions, mqttPublisher, mqttSubscriber } from "@lab/mqtt";
import { Inbox } from "@lab/testbed/testing";
import mqtt, { type IClientOptions } from "mqtt";
import { describe, expect, test, vi } from "vitest";
import { scriptedBroker } from "./support/scripted-broker.ts";

const connect = () => expect.unreachable("no client is to be made");

describe("options that cannot work are refused, with what to do", () => {
  test.for([
    ["connect", undefined],
    ["protocolVersion", 3],
    ["persistent", "yes"],
    ["qos", 2],
    ["settleOrder", "random"],
    ["connectTimeout", 0],
    ["connectTimeout", Number.NaN],
    ["connectTimeout", 2 ** 31],
  ] as const)("subscriber: %s %s", ([name, value]) => {
    const options = { connect, [name]: value } as unknown as MqttSubscriberOptions;
    expect(() => mqttSubscriber(options)).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION", message: expect.stringContaining(name) }),
    );
  });

  test.for([
    ["window", 0],
    ["window", 65_536],
    ["window", 1.5],
    ["confirmTimeout", -1],
    ["retain", 1],
    ["qos", 2],
  ] as const)("publisher: %s %s", ([name, value]) => {
    expect(() => mqttPublisher({ connect, [name]: value })).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION", message: expect.stringContaining(name) }),
    );
  });

  test.for([0, -1, 1.5, Number.NaN, "8"])("window %s", async (window) => {
    const subscribed = mqttSubscriber({ connect }).subscribe(
      "t",
      { window: window as number },
      new Inbox(),
    );
    await expect(subscribed).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });

  test.for([
    "",
    "a/#/b",
    "a#",
    "a/b+",
    "a\0b",
    "$share/group",
    "$share//t",
    "$share/gr+up/t",
    "$share/group/",
  ])("source %j", async (source) => {
    const subscribed = mqttSubscriber({ connect }).subscribe(source, { window: 1 }, new Inbox());
    await expect(subscribed).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });
});

describe("a client that cannot work is refused, with what to do", () => {
  const refused = async (
    change: (defaults: IClientOptions) => IClientOptions,
    options: Partial<MqttSubscriberOptions> = {},
  ) => {
    const broker = await scriptedBroker(() => ({}));
    const subscriber = mqttSubscriber({
      connect: (defaults) =>
        mqtt.connect(broker.url, { clientId: "orders-1", ...defaults, ...change(defaults) }),
      ...options,
    });
    const error = await subscriber.subscribe("t", { window: 1 }, new Inbox()).then(
      () => expect.unreachable("it was accepted"),
      (thrown: Error) => thrown,
    );
    expect(error).toMatchObject({ code: "INVALID_OPTION" });
    return error.message;
  };

  test("a persistent session without a client id", async () => {
    expect(await refused(() => ({ clientId: "" }))).toContain("persistent: false");
  });

  test("a persistent session of MQTT 5 without an expiry: the broker would drop it at once", async () => {
    expect(await refused(() => ({ properties: { receiveMaximum: 9 } }))).toContain(
      "...defaults.properties",
    );
    expect(await refused(() => ({ properties: { sessionExpiryInterval: 0 } }))).toContain(
      "sessionExpiryInterval",
    );
  });

  test("another version, or another session, than the subscriber was told", async () => {
    expect(await refused(() => ({ protocolVersion: 4 }))).toContain("protocolVersion");
    expect(await refused(() => ({ clean: true }))).toContain("persistent");
    expect(await refused(() => ({ clean: false }), { persistent: false })).toContain("persistent");
  });

  test("one that does not connect, or not again", async () => {
    expect(await refused(() => ({ manualConnect: true }))).toContain("manualConnect");
    expect(await refused(() => ({ reconnectPeriod: 0 }))).toContain("reconnectPeriod");
  });

  test("one that was connected before: it has acknowledged what nobody has seen", async () => {
    const broker = await scriptedBroker(() => ({}));
    const client = await mqtt.connectAsync(broker.url, { protocolVersion: 5 });
    const subscriber = mqttSubscriber({ connect: () => client, persistent: false });
    const subscribed = subscriber.subscribe("t", { window: 1 }, new Inbox());
    await expect(subscribed).rejects.toMatchObject({
      code: "INVALID_OPTION",
      message: /mqtt\.connect/,
    });
    expect(client.connected).toBe(true);
    await client.endAsync();
  });

  test("one that serves another subscription", async () => {
    const broker = await scriptedBroker(() => ({}));
    const connectOnce = vi.fn((defaults: IClientOptions) =>
      mqtt.connect(broker.url, { ...defaults, clientId: "orders-1" }),
    );
    let client: ReturnType<typeof connectOnce> | undefined;
    const subscriber = mqttSubscriber({
      connect: (defaults) => {
        client ??= connectOnce(defaults);
        return client;
      },
    });
    const first = subscriber.subscribe("a", { window: 1 }, new Inbox());
    await expect(subscriber.subscribe("b", { window: 1 }, new Inbox())).rejects.toMatchObject({
      code: "INVALID_OPTION",
      message: /another subscription/,
    });
    await (await first).close();
  });

  test("a promise of one: the broker has sent before it resolves", async () => {
    const broker = await scriptedBroker(() => ({}));
    const promise = mqtt.connectAsync(broker.url);
    const subscriber = mqttSubscriber({ connect: () => promise as never });
    await expect(subscriber.subscribe("t", { window: 1 }, new Inbox())).rejects.toMatchObject({
      code: "INVALID_OPTION",
      message: /connectAsync/,
    });
    await (await promise).endAsync();
  });

  test("a URL that cannot be read, without showing its password", async () => {
    const subscriber = mqttSubscriber({
      connect: (defaults) => mqtt.connect("mqtt://orders:s3cret-word@[bad", defaults),
      persistent: false,
    });
    const error = await subscriber
      .subscribe("t", { window: 1 }, new Inbox())
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ code: "INVALID_OPTION" });
    expect(inspect(error, { depth: 9 })).not.toContain("s3cret-word");
  });
});
