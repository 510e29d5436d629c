import { describe, expect, onTestFinished, test } from "vitest";
import { rawClient, subscribe, texts } from "./support/clients.ts";
import { mosquitto, withMosquitto } from "./support/mosquitto.ts";
import { message, scriptedBroker } from "./support/scripted-broker.ts";

describe.skipIf(!withMosquitto)("messages (on mosquitto)", () => {
  test("reads the user properties of others: repeated headers joined, the key apart", async () => {
    const { url } = await mosquitto();
    const { inbox } = await subscribe({ url });
    const client = await rawClient(url, { protocolVersion: 5 });
    const userProperties = { tag: ["a", "b"], key: ["k1", "k2"] };
    await client.publishAsync("t", "x", { qos: 1, properties: { userProperties } });
    await inbox.received(1);
    expect(inbox.deliveries[0]?.message).toMatchObject({ key: "k1", headers: { tag: "a, b" } });
  });

  test("published with QoS 2 come with QoS 1, and are acknowledged like all others", async () => {
    const { url } = await mosquitto();
    const session = { url, client: { clientId: "orders-1" } };
    const first = await subscribe(session);
    const client = await rawClient(url);
    await client.publishAsync("t", "a", { qos: 2 });
    await client.publishAsync("t", "b", { qos: 2 });
    await first.inbox.received(2);
    first.inbox.deliveries[0]?.settle("ack");
    await first.subscription.close();
    const { inbox } = await subscribe(session);
    await inbox.received(1);
    expect(inbox.bodies).toEqual(["b"]);
  });

  test("that an older subscription of the session brings with QoS 2 are handed out, with a warning", async () => {
    const { url } = await mosquitto();
    const older = await rawClient(url, { clientId: "orders-1", clean: false });
    await older.subscribeAsync("older", { qos: 2 });
    await older.endAsync();
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on("warning", onWarning);
    onTestFinished(() => {
      process.off("warning", onWarning);
    });
    const { inbox } = await subscribe({ url, window: 2, client: { clientId: "orders-1" } });
    inbox.onDelivery = (delivery) => setTimeout(() => inbox.settle(delivery), 1);
    const client = await rawClient(url);
    for (const text of texts(20)) await client.publishAsync("older", text, { qos: 2 });
    await inbox.received(20);
    expect(inbox.bodies).toEqual(texts(20));
    expect(inbox.mostOpen).toBeLessThanOrEqual(2);
    expect(warnings).toMatchObject([{ code: "LAB_MQTT_QOS_2" }]);
  });
});

describe("messages (on a scripted broker)", () => {
  test("with topic aliases have their topic, where the user's client allows aliases", async () => {
    const broker = await scriptedBroker(
      () => ({}),
      (to) => {
        const first = { ...message(1, "a"), topic: "orders/1", properties: { topicAlias: 3 } };
        to.send(first, { ...first, messageId: 2, topic: "" });
      },
    );
    const { inbox } = await subscribe({
      url: broker.url,
      persistent: false,
      client: { properties: { topicAliasMaximum: 5 } },
    });
    await inbox.received(2);
    expect(inbox.deliveries.map(({ message }) => message.destination)).toEqual([
      "orders/1",
      "orders/1",
    ]);
    expect(inbox.deliveries[1]?.message.key).toBe("orders/1");
  });

  test("say whether they may have come before", async () => {
    const broker = await scriptedBroker(
      () => ({ sessionPresent: true }),
      (to) => to.send(message(1, "a", true), message(2, "b")),
    );
    const { inbox } = await subscribe({ url: broker.url });
    await inbox.received(2);
    expect(inbox.deliveries.map(({ redelivered }) => redelivered)).toEqual([true, false]);
  });
});
