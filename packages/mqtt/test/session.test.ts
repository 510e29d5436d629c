import { eventually, Inbox } from "@lab/testbed/testing";
import { describe, expect, test } from "vitest";
import { publish, rawClient, subscribe, texts } from "./support/clients.ts";
import { mosquitto, withMosquitto } from "./support/mosquitto.ts";
import { pubacks, tapWire } from "./support/wire.ts";

describe.skipIf(!withMosquitto)("sessions", () => {
  test.for([5, 4] as const)(
    "MQTT %s: the backlog of a persistent session is not acknowledged before somebody is there",
    async (protocolVersion) => {
      const { url } = await mosquitto();
      const session = { url, protocolVersion, client: { clientId: "orders-1" } };
      await (await subscribe(session)).subscription.close();
      await publish(url, texts(50));
      const { inbox } = await subscribe({ ...session, window: 100 });
      await inbox.received(50);
      expect(inbox.bodies).toEqual(texts(50));
    },
  );

  test("outlive a cut: work in hand is not handed out again, and is acknowledged on the new connection", async () => {
    const { url } = await mosquitto();
    const wire = await tapWire(url);
    const { inbox } = await subscribe({ url: wire.url });
    await publish(url, texts(6));
    await inbox.received(6);
    const [early, ...running] = inbox.deliveries;
    wire.cut();
    await inbox.state("reconnecting");
    expect(early?.settle("ack")).toBe("settled"); // Offline: sent once the broker has delivered it again.
    await inbox.state("connected", 2);
    await eventually("the acknowledgement", () => pubacks(wire.sent).length === 1);
    for (const delivery of running) expect(delivery.settle("ack")).toBe("settled");
    await eventually("all acknowledgements", () => pubacks(wire.sent).length === 6);
    await publish(url, ["after"]);
    await inbox.received(7);
    expect(inbox.bodies).toEqual([...texts(6), "after"]);
    expect(inbox.ended).toEqual([]);
  });

  test("that are not persistent end with their connection: late results are stale and nobody is told", async () => {
    const { url } = await mosquitto();
    const wire = await tapWire(url);
    const { inbox } = await subscribe({ url: wire.url, persistent: false });
    await publish(url, texts(3));
    await inbox.received(3);
    const signal = inbox.deliveries[0]?.session.signal;
    wire.cut();
    await inbox.state("reconnecting");
    expect(inbox.ended).toEqual([inbox.deliveries[0]?.session]);
    expect(signal?.reason).toMatchObject({ code: "SESSION_ENDED" });
    await inbox.state("connected", 2);
    for (const delivery of inbox.deliveries) expect(delivery.settle("ack")).toBe("stale");
    await eventually("the second subscription", () => wire.sent.filter(isSubscribe).length === 2);
    await publish(url, ["after"]);
    await inbox.received(4);
    const fresh = inbox.deliveries[3];
    expect(fresh?.session).not.toBe(inbox.deliveries[0]?.session);
    expect(fresh?.settle("ack")).toBe("settled");
    await eventually("one acknowledgement", () => pubacks(wire.sent).length === 1);
  });

  test("that the broker has dropped meanwhile end before the first delivery of the next", async () => {
    const { url } = await mosquitto();
    const wire = await tapWire(url);
    const { inbox } = await subscribe({
      url: wire.url,
      protocolVersion: 4,
      client: { clientId: "orders-1", reconnectPeriod: 400 },
    });
    await publish(url, texts(2));
    await inbox.received(2);
    wire.cut();
    await inbox.state("reconnecting");
    const thief = await rawClient(url, { clientId: "orders-1", clean: true });
    await thief.endAsync();
    await inbox.state("connected", 2);
    expect(inbox.ended).toHaveLength(1);
    expect(inbox.deliveries[0]?.settle("ack")).toBe("stale");
    await eventually("the second subscription", () => wire.sent.filter(isSubscribe).length === 2);
    await publish(url, ["after"]);
    await inbox.received(3);
    expect(inbox.deliveries[2]?.session.ended).toBe(false);
  });

  test("do not wait for ever for a message that has expired at the broker while the connection was away", async () => {
    const { url } = await mosquitto();
    const wire = await tapWire(url);
    const { inbox } = await subscribe({
      url: wire.url,
      window: 1,
      client: { reconnectPeriod: 2_500 },
    });
    const publisher = await rawClient(url, { protocolVersion: 5 });
    await publisher.publishAsync("t", "short-lived", {
      qos: 1,
      properties: { messageExpiryInterval: 1 },
    });
    await inbox.received(1);
    wire.cut();
    await inbox.state("reconnecting");
    expect(inbox.deliveries[0]?.settle("ack")).toBe("settled");
    await publisher.publishAsync("t", "next", { qos: 1 });
    await inbox.received(2);
    expect(inbox.bodies).toEqual(["short-lived", "next"]);
  });

  test.for([5, 4] as const)(
    "MQTT %s: do not bring all retained messages again with every connection",
    async (protocolVersion) => {
      const { url } = await mosquitto();
      await publish(url, ["retained"], "t", { retain: true });
      const wire = await tapWire(url);
      const inbox = new Inbox();
      inbox.onDelivery = (delivery) => delivery.settle("ack");
      await subscribe({ url: wire.url, protocolVersion, inbox });
      await inbox.received(1);
      await eventually("the acknowledgement", () => pubacks(wire.sent).length === 1);
      await publish(url, ["before"]);
      await inbox.received(2);
      await eventually("the acknowledgement", () => pubacks(wire.sent).length === 2);
      wire.cut();
      await inbox.state("connected", 2);
      await publish(url, ["after"]);
      await inbox.received(3);
      expect(inbox.bodies).toEqual(["retained", "before", "after"]);
    },
  );

  test("survive a restart of the broker with what was in hand", async () => {
    const broker = await mosquitto();
    const { inbox } = await subscribe({ url: broker.url });
    await publish(broker.url, texts(4));
    await inbox.received(4);
    await broker.restart?.();
    await inbox.state("connected", 2);
    for (const delivery of inbox.deliveries) expect(delivery.settle("ack")).toBe("settled");
    await publish(broker.url, ["after"]);
    await inbox.received(5);
    expect(inbox.bodies).toEqual([...texts(4), "after"]);
  });
});

function isSubscribe({ cmd }: { readonly cmd: string }): boolean {
  return cmd === "subscribe";
}
