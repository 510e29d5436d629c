import { describe, expect, test } from "vitest";
import { publish, subscribe, texts } from "./support/clients.ts";
import { mosquitto, withMosquitto } from "./support/mosquitto.ts";
import { tapWire } from "./support/wire.ts";

describe.skipIf(!withMosquitto)("closing (on mosquitto)", () => {
  test("sends first what was settled in the same turn, and says goodbye last", async () => {
    const { url } = await mosquitto();
    const wire = await tapWire(url);
    const { inbox, subscription } = await subscribe({ url: wire.url });
    await publish(url, texts(5));
    await inbox.received(5);
    for (const delivery of inbox.deliveries) delivery.settle("ack");
    await subscription.close();
    expect(wire.sent.slice(-6).map(({ cmd }) => cmd)).toEqual([
      ...Array(5).fill("puback"),
      "disconnect",
    ]);
  });

  test("leaves what is unsettled to the session: the next subscription gets it", async () => {
    const { url } = await mosquitto();
    const session = { url, client: { clientId: "orders-1" } };
    const first = await subscribe(session);
    await publish(url, texts(5));
    await first.inbox.received(5);
    first.inbox.deliveries[0]?.settle("ack");
    first.inbox.deliveries[3]?.settle("ack"); // Behind unsettled ones: it comes again.
    await first.subscription.close();
    expect(first.inbox.deliveries[1]?.settle("ack")).toBe("stale");
    const { inbox } = await subscribe(session);
    await inbox.received(4);
    expect(inbox.bodies).toEqual(["m1", "m2", "m3", "m4"]);
    expect(inbox.deliveries[0]?.redelivered).toBe(true);
  });

  test("takes a few seconds at most although the broker does not answer, with a full window too", async () => {
    const broker = await mosquitto();
    const { inbox, subscription } = await subscribe({
      url: broker.url,
      window: 1,
      protocolVersion: 4,
    });
    await publish(broker.url, texts(3));
    await inbox.received(1);
    broker.pause();
    const started = performance.now();
    await subscription.close();
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(inbox.states.at(-1)?.state).toBe("closed");
  });

  test("works while there is no connection", async () => {
    const broker = await mosquitto();
    const { inbox, subscription, client } = await subscribe({ url: broker.url });
    await broker.kill?.();
    await inbox.state("reconnecting");
    await subscription.close();
    expect(client.connected).toBe(false);
    await broker.start?.();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(client.connected).toBe(false);
    expect(inbox.states.at(-1)?.state).toBe("closed");
  });
});
