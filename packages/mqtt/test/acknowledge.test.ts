import { eventually } from "@lab/testbed/testing";
import { describe, expect, test } from "vitest";
import { publish, subscribe, texts } from "./support/clients.ts";
import { mosquitto, withMosquitto } from "./support/mosquitto.ts";
import { pubacks, tapWire } from "./support/wire.ts";

describe.skipIf(!withMosquitto)("acknowledgements", () => {
  test("an unsettled message does not hold up the messages behind it, nor answers to other requests", async () => {
    const { url } = await mosquitto();
    const { inbox, client } = await subscribe({ url });
    await publish(url, texts(10));
    await inbox.received(10);
    await client.subscribeAsync("another");
  });

  test("nothing is acknowledged before it is settled, as mqtt.js would on its own", async () => {
    const { url } = await mosquitto();
    const wire = await tapWire(url);
    const { inbox, client } = await subscribe({ url: wire.url });
    await publish(url, texts(5));
    await inbox.received(5);
    for (const delivery of inbox.deliveries.slice(0, 2)) delivery.settle("ack");
    await eventually("two acknowledgements", () => pubacks(wire.sent).length >= 2);
    await client.subscribeAsync("another");
    expect(pubacks(wire.sent)).toHaveLength(2);
  });

  test("goes out in the order received, however it was settled (MQTT-4.6.0-2)", async () => {
    const { url } = await mosquitto();
    const wire = await tapWire(url);
    const { inbox } = await subscribe({ url: wire.url });
    await publish(url, texts(8));
    await inbox.received(8);
    for (const delivery of inbox.deliveries.toReversed()) {
      expect(pubacks(wire.sent)).toEqual([]);
      delivery.settle("ack");
    }
    await eventually("all acknowledgements", () => pubacks(wire.sent).length === 8);
    expect(pubacks(wire.sent)).toEqual(received(wire));
  });

  test("goes out as settled where asked for, and mosquitto sends on", async () => {
    const { url } = await mosquitto();
    const wire = await tapWire(url);
    const { inbox } = await subscribe({ url: wire.url, settleOrder: "settled", window: 4 });
    await publish(url, texts(40));
    await inbox.received(4);
    const [slow, ...others] = inbox.deliveries;
    inbox.onDelivery = (delivery) => inbox.settle(delivery);
    for (const delivery of others) inbox.settle(delivery);
    await inbox.received(40);
    await eventually("39 acknowledgements", () => pubacks(wire.sent).length === 39);
    expect(pubacks(wire.sent)).not.toContain(received(wire)[0]);
    slow?.settle("ack");
    await eventually("the last acknowledgement", () => pubacks(wire.sent).length === 40);
    expect(pubacks(wire.sent).at(-1)).toBe(received(wire)[0]);
    expect(inbox.mostOpen).toBe(4);
  });

  test("a slow message holds the window in the order received", async () => {
    const { url } = await mosquitto();
    const { inbox } = await subscribe({ url, window: 4 });
    await publish(url, texts(40));
    await inbox.received(4);
    const [slow, ...others] = inbox.deliveries;
    for (const delivery of others) delivery.settle("ack");
    inbox.onDelivery = (delivery) => delivery.settle("ack");
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(inbox.deliveries).toHaveLength(4);
    slow?.settle("ack");
    await inbox.received(40);
  });

  test("costs one write for all that is settled in one turn", async () => {
    const { url } = await mosquitto();
    const wire = await tapWire(url);
    const { inbox } = await subscribe({ url: wire.url, window: 64 });
    await publish(url, texts(64));
    await inbox.received(64);
    for (const delivery of inbox.deliveries) delivery.settle("ack");
    await eventually("all acknowledgements", () => pubacks(wire.sent).length === 64);
    expect(wire.writes.filter((packets) => pubacks(packets).length > 0)).toHaveLength(1);
  });
});

function received({ received }: { received: { cmd: string; messageId?: number }[] }) {
  return received.filter(({ cmd }) => cmd === "publish").map(({ messageId }) => messageId);
}
