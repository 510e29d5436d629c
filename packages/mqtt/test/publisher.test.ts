import { writeFile } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import { type OutgoingMessage, PublishError } from "@lab/core";
import { type MqttPublisherOptions, mqttPublisher } from "@lab/mqtt";
import { eventually } from "@lab/testbed/testing";
import mqtt, { type IClientOptions, type MqttClient } from "mqtt";
import type { IPublishPacket, Packet } from "mqtt-packet";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { subscribe, texts } from "./support/clients.ts";
import { privateFolder } from "./support/folder.ts";
import { mosquitto, withMosquitto } from "./support/mosquitto.ts";
import { scriptedBroker } from "./support/scripted-broker.ts";
import { tapWire } from "./support/wire.ts";

function publisherTo(
  url: string,
  options: Partial<MqttPublisherOptions> = {},
  client: IClientOptions = {},
) {
  const clients: MqttClient[] = [];
  const publisher = mqttPublisher({
    connect: (defaults) => {
      const made = mqtt.connect(url, { ...defaults, reconnectPeriod: 50, ...client });
      clients.push(made);
      return made;
    },
    ...options,
  });
  onTestFinished(() => publisher.close());
  return { publisher, clients };
}

function messages(count: number): OutgoingMessage[] {
  return texts(count).map((text) => ({ body: Buffer.from(text) }));
}

async function publishError(publishing: Promise<void>): Promise<PublishError> {
  const error: unknown = await publishing.then(
    () => expect.unreachable("it was confirmed"),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(PublishError);
  return error as PublishError;
}

function published(packets: readonly Packet[]): IPublishPacket[] {
  return packets.filter((packet) => packet.cmd === "publish");
}

describe.skipIf(!withMosquitto)("publisher (on mosquitto)", () => {
  test("switches Nagle's algorithm off on every connection: an awaited publish would take 40 ms", async () => {
    const broker = await mosquitto();
    const setNoDelay = vi.spyOn(Socket.prototype, "setNoDelay");
    onTestFinished(() => setNoDelay.mockRestore());
    const { publisher, clients } = publisherTo(broker.url);
    await publisher.publish("t", messages(1));
    const first = clients[0]?.stream;
    await broker.cut();
    await publisher.publish("t", messages(1));
    const second = clients[0]?.stream;
    expect(second).not.toBe(first);
    expect(setNoDelay.mock.contexts).toEqual(expect.arrayContaining([first, second]));
  });

  test("carries keys and headers as user properties", async () => {
    const { url } = await mosquitto();
    const { inbox } = await subscribe({ url });
    const { publisher } = publisherTo(url);
    await publisher.publish("t", [
      { body: Buffer.from("a"), key: "", headers: { größe: "12 µm", empty: "" } },
      { body: new Uint8Array([0, 255, 7]).subarray(1), key: "key" },
      { body: new Uint8Array() },
      { body: Buffer.from("d"), headers: {} },
    ]);
    await inbox.received(4);
    const seen = inbox.deliveries.map(({ message }) => message);
    expect(seen[0]).toMatchObject({
      key: "",
      headers: { größe: "12 µm", empty: "" },
      destination: "t",
    });
    expect(seen[1]).toMatchObject({ key: "key", headers: {} });
    expect([...(seen[1]?.body ?? [])]).toEqual([255, 7]);
    expect(seen[2]).toMatchObject({ key: "t", headers: {} });
    expect(seen[2]?.body).toHaveLength(0);
  });

  test("refuses what MQTT 3.1.1 cannot carry, by index, and publishes the rest", async () => {
    const { url } = await mosquitto();
    const { inbox } = await subscribe({ url });
    const { publisher } = publisherTo(url, { protocolVersion: 4 });
    expect(publisher.capabilities).toEqual({ keys: false, headers: false });
    const [a, b, c] = messages(3) as [OutgoingMessage, OutgoingMessage, OutgoingMessage];
    const error = await publishError(
      publisher.publish("t", [a, { ...b, key: "k" }, c, { ...b, headers: { h: "1" } }]),
    );
    expect(error.failures.map(({ index }) => index)).toEqual([1, 3]);
    expect(error.failures[0]?.error).toMatchObject({ code: "UNSUPPORTED_MESSAGE" });
    await inbox.received(2);
    expect(inbox.bodies).toEqual(["m0", "m2"]);
  });

  test("has no more in flight than the server takes, which mqtt.js ignores", async () => {
    const { url } = await mosquitto({ config: ["max_inflight_messages 7"] });
    const wire = await tapWire(url);
    let most = 0;
    const { publisher, clients } = publisherTo(wire.url, { window: 50 });
    const publishing = publisher.publish("t", messages(200));
    const [client] = clients as [MqttClient];
    const { write } = client.stream;
    vi.spyOn(client.stream, "write").mockImplementation((...args: unknown[]) => {
      most = Math.max(most, Object.keys(client.outgoing).length);
      return Reflect.apply(write, client.stream, args);
    });
    await publishing;
    expect(client.serverProperties?.receiveMaximum).toBe(7);
    expect(most).toBe(7);
    expect(published(wire.sent)).toHaveLength(200);
  });

  test("sends what is published in one turn in one write, whatever its topics are", async () => {
    const broker = await mosquitto();
    const { publisher, clients } = publisherTo(broker.url);
    await publisher.publish("first", messages(1));
    const write = vi.spyOn((clients[0] as MqttClient).stream, "write");
    const topics = texts(100).map((text) => `topic/${text}`);
    await Promise.all(topics.map((topic) => publisher.publish(topic, messages(1))));
    expect(write).toHaveBeenCalledTimes(1);
  });

  test("sends a batch in few writes, and so does what acknowledgements make room for", async () => {
    const { url } = await mosquitto();
    const { publisher, clients } = publisherTo(url, { window: 500 });
    await publisher.publish("t", messages(1));
    const [client] = clients as [MqttClient];
    const write = vi.spyOn(client.stream, "write");
    await publisher.publish("t", messages(500));
    expect(write).toHaveBeenCalledTimes(1);
    await publisher.publish("t", messages(5_000));
    expect(write.mock.calls.length).toBeLessThan(1_000); // 10 at best, one for each read of acknowledgements
  });

  test("uses the client's own store where it has one", async () => {
    const { url } = await mosquitto();
    const { inbox } = await subscribe({ url });
    const store = new mqtt.Store();
    const put = vi.spyOn(store, "put");
    const { publisher } = publisherTo(url, {}, { outgoingStore: store });
    await publisher.publish("t", messages(3));
    await inbox.received(3);
    expect(put).toHaveBeenCalledTimes(3);
  });

  test("keeps the order over a cut, and confirms everything", async () => {
    const broker = await mosquitto();
    const { inbox } = await subscribe({ url: broker.directUrl, window: 5_000 });
    const { publisher } = publisherTo(broker.url, { window: 20 });
    const publishing = publisher.publish("t", messages(2_000));
    await inbox.received(100);
    await broker.cut();
    await publishing;
    await eventually("everything", () => new Set(inbox.bodies).size === 2_000);
    expect([...new Set(inbox.bodies)]).toEqual(texts(2_000));
  });

  test("names the messages that the broker refuses, and why", async () => {
    const acl = join(privateFolder(), "acl");
    await writeFile(acl, "topic readwrite open\n", { mode: 0o644 });
    const { url } = await mosquitto({ config: [`acl_file ${acl}`] });
    const { publisher } = publisherTo(url);
    await publisher.publish("open", messages(1));
    const error = await publishError(publisher.publish("closed", messages(2)));
    expect(error.failures.map(({ index }) => index)).toEqual([0, 1]);
    expect(error.failures[0]?.error).toMatchObject({ code: "ACCESS_REFUSED" });
  });

  test("refuses what is larger than the broker takes, which would end the connection again and again", async () => {
    const { url } = await mosquitto({ config: ["max_packet_size 1000"] });
    const { publisher } = publisherTo(url);
    const large = { body: new Uint8Array(1_000) };
    const error = await publishError(publisher.publish("t", [...messages(1), large]));
    expect(error.failures).toMatchObject([{ index: 1, error: { code: "UNSUPPORTED_MESSAGE" } }]);
    await publisher.publish("t", messages(1));
  });

  test("fails what is not confirmed in time, and does not send it again afterwards", async () => {
    const broker = await mosquitto();
    const { inbox } = await subscribe({ url: broker.directUrl });
    const { publisher } = publisherTo(broker.url, { confirmTimeout: 300, window: 1 });
    await publisher.publish("t", [{ body: Buffer.from("before") }]);
    broker.pause();
    const error = await publishError(publisher.publish("t", messages(3)));
    expect(error.failures).toHaveLength(3);
    expect(error.failures[0]?.error).toMatchObject({ code: "CONNECTION_LOST" });
    await broker.cut();
    broker.resume();
    await publisher.publish("t", [{ body: Buffer.from("after") }]);
    await inbox.received(2);
    expect(inbox.bodies).toEqual(["before", "after"]);
  });

  test("closes in time although the broker does not answer", async () => {
    const broker = await mosquitto();
    const { publisher } = publisherTo(broker.url);
    await publisher.publish("t", messages(1));
    broker.pause();
    const failing = publishError(publisher.publish("t", messages(1)));
    const started = performance.now();
    await publisher.close();
    expect(performance.now() - started).toBeLessThan(15_000);
    expect((await failing).failures[0]?.error).toMatchObject({ code: "CONNECTION_LOST" });
  });

  test("QoS 0: publishes any number without a confirmation, and fails what a cut may have taken", async () => {
    const broker = await mosquitto();
    const { inbox } = await subscribe({ url: broker.directUrl, qos: 0, window: 100_000 });
    const { publisher } = publisherTo(broker.url, { qos: 0 });
    await publisher.publish("t", messages(20_000));
    await inbox.received(20_000);
    broker.pause();
    const large = { body: new Uint8Array(1_000_000) };
    const failing = publishError(
      publisher.publish(
        "t",
        Array.from({ length: 20 }, () => large),
      ),
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    await broker.cut();
    broker.resume();
    for (const { error } of (await failing).failures) {
      expect(error).toMatchObject({ code: "CONNECTION_LOST" });
    }
  });

  test("retains where asked for", async () => {
    const { url } = await mosquitto();
    const { publisher } = publisherTo(url, { retain: true });
    await publisher.publish("t", messages(2));
    const { inbox } = await subscribe({ url });
    await inbox.received(1);
    expect(inbox.bodies).toEqual(["m1"]);
  });
});

describe("publisher", () => {
  test.for(["", "a/#", "a/+/b", "a\0b"])(
    "refuses the topic %j: a broker would hang up",
    async (topic) => {
      const connect = () => expect.unreachable("no client is needed");
      const error = await publishError(mqttPublisher({ connect }).publish(topic, messages(2)));
      expect(error.failures).toHaveLength(2);
      expect(error.failures[0]?.error).toMatchObject({ code: "INVALID_OPTION" });
    },
  );

  test("connects only when there is something to publish, and again after a refusal", async () => {
    const broker = await scriptedBroker((index) => ({ reasonCode: index === 0 ? 0x86 : 0 }));
    const { publisher, clients } = publisherTo(broker.url, { qos: 0 });
    await publisher.publish("t", []);
    expect(clients).toHaveLength(0);
    const error = await publishError(publisher.publish("t", messages(1)));
    expect(error.failures[0]?.error).toMatchObject({ code: "ACCESS_REFUSED" });
    await publisher.publish("t", messages(1));
    expect(clients).toHaveLength(2);
  });

  test("refuses a header that is the key's place, texts that are too long, and what is no message", async () => {
    const broker = await scriptedBroker(() => ({}));
    const { publisher } = publisherTo(broker.url, { qos: 0 });
    const body = new Uint8Array();
    const bad = [
      { body, headers: { key: "k" } },
      { body, headers: { long: "x".repeat(65_536) } },
      { body, key: "x".repeat(65_536) },
      { body: "text" },
      null,
    ] as unknown as OutgoingMessage[];
    const error = await publishError(publisher.publish("t", [...bad, { body }]));
    expect(error.failures.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
    for (const { error: why } of error.failures)
      expect(why).toMatchObject({ code: "UNSUPPORTED_MESSAGE" });
  });

  test("fails what a broker answers with a hang-up, without sending it for ever", async () => {
    const broker = await scriptedBroker(
      () => ({}),
      undefined,
      undefined,
      (connection, { payload, messageId = 0 }) => {
        if (payload.toString() === "after") connection.send({ cmd: "puback", messageId });
        else connection.cut();
      },
    );
    const { publisher, clients } = publisherTo(broker.url, { confirmTimeout: 1_000 });
    const publishing = publisher.publish("t", messages(2));
    const [client] = clients as [MqttClient];
    client.on("reconnect", () => {
      client.options.reconnectPeriod = 20; // Not longer each time.
    });
    expect((await publishError(publishing)).failures).toHaveLength(2);
    expect(broker.connections.length).toBeGreaterThan(1);
    await publisher.publish("t", [{ body: Buffer.from("after") }]);
    const last = published(broker.connections.at(-1)?.received ?? []);
    expect(last.map(({ payload }) => payload.toString())).toEqual(["after"]);
  });

  test("takes its time as long as something is confirmed", async () => {
    const broker = await scriptedBroker(
      () => ({}),
      undefined,
      undefined,
      (connection, { messageId = 0 }) => {
        setTimeout(() => connection.send({ cmd: "puback", messageId }), 300);
      },
    );
    const { publisher } = publisherTo(broker.url, { confirmTimeout: 1_000, window: 1 });
    await publisher.publish("t", messages(5));
  });

  test("is closed for good", async () => {
    const { publisher } = publisherTo("mqtt://127.0.0.1:1");
    await publisher.close();
    const error = await publishError(publisher.publish("t", messages(1)));
    expect(error.failures[0]?.error).toMatchObject({ code: "PUBLISH_FAILED", message: /closed/ });
  });
});
