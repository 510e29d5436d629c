import { describe, expect, test } from "vitest";
import { rawClient, subscribe } from "./support/clients.ts";
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
