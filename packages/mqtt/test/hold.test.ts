import { eventually } from "@lab/testbed/testing";
import { describe, expect, test } from "vitest";
import { publish, subscribe, texts } from "./support/clients.ts";
import { mosquitto, withMosquitto } from "./support/mosquitto.ts";
import { pubacks, tapWire } from "./support/wire.ts";

describe.skipIf(!withMosquitto)("holding back (on mosquitto)", () => {
  test.for([
    [5, 1],
    [4, 1],
    [5, 0],
    [4, 0],
  ] as const)(
    "MQTT %s, QoS %s: no more are handed out than the window allows, whatever the broker sends",
    async ([protocolVersion, qos]) => {
      const { url } = await mosquitto();
      const { inbox } = await subscribe({ url, protocolVersion, qos, window: 8 });
      inbox.onDelivery = (delivery) => setTimeout(() => inbox.settle(delivery), Math.random() * 2);
      await publish(url, texts(1_000));
      await inbox.received(1_000);
      expect(inbox.bodies).toEqual(texts(1_000));
      expect(inbox.mostOpen).toBe(8);
    },
  );

  test("subscribes although the broker's answer is stuck behind a backlog and a full window", async () => {
    const { url } = await mosquitto();
    const session = { url, protocolVersion: 4, client: { clientId: "orders-1" } } as const;
    await (await subscribe(session)).subscription.close();
    await publish(url, texts(100));
    const { inbox } = await subscribe({ ...session, window: 1 });
    expect(inbox.bodies).toEqual(["m0"]);
    inbox.onDelivery = (delivery) => delivery.settle("ack");
    inbox.deliveries[0]?.settle("ack");
    await inbox.received(100);
  });

  test("pings go on while nothing is read: the connection outlives handlers longer than its keep-alive", async () => {
    const { url } = await mosquitto();
    const wire = await tapWire(url);
    const { inbox } = await subscribe({
      url: wire.url,
      protocolVersion: 4,
      window: 1,
      client: { keepalive: 1 },
    });
    await publish(url, texts(3));
    await inbox.received(1);
    await new Promise((resolve) => setTimeout(resolve, 3_500));
    inbox.onDelivery = (delivery) => delivery.settle("ack");
    inbox.deliveries[0]?.settle("ack");
    await inbox.received(3);
    expect(wire.connections).toBe(1);
    expect(inbox.bodies).toEqual(texts(3));
  });

  test("after stop nothing is delivered, pings go on and results are sent", async () => {
    const { url } = await mosquitto();
    const wire = await tapWire(url);
    const { inbox, subscription } = await subscribe({ url: wire.url, client: { keepalive: 1 } });
    await publish(url, texts(4));
    await inbox.received(4);
    await subscription.stop();
    await publish(url, texts(10, "late"));
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    for (const delivery of inbox.deliveries) expect(delivery.settle("ack")).toBe("settled");
    await eventually("the acknowledgements", () => pubacks(wire.sent).length === 4);
    await subscription.close();
    expect(inbox.bodies).toEqual(texts(4));
    expect(wire.connections).toBe(1);
    expect(pubacks(wire.sent)).toHaveLength(4);
  });
});
