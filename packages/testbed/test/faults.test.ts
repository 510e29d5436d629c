import { setTimeout as sleep } from "node:timers/promises";
import { startBroker } from "@lab/testbed";
import { describe, expect, test } from "vitest";
import { client, eventually, lost, withMosquitto } from "./support.ts";

describe.each(withMosquitto ? (["native", "embedded"] as const) : (["embedded"] as const))(
  "%s broker",
  (how) => {
    test("cut closes every connection without a goodbye and the broker lives on", async () => {
      await using broker = await startBroker("mqtt", { how });
      const clients = await Promise.all([client(broker.url), client(broker.url)]);
      const watcher = await client(broker.directUrl);
      const wills: string[] = [];
      watcher.on("message", (topic) => wills.push(topic));
      await watcher.subscribeAsync("will/#", { qos: 1 });
      await client(broker.url, {
        will: { topic: "will/a", payload: Buffer.from("gone"), qos: 1, retain: false },
      });
      const errors = clients.map(
        (each) => new Promise((resolve) => each.stream.once("error", resolve)),
      );

      await broker.cut();

      await eventually("clients notice", () => clients.every((each) => !each.connected));
      for (const error of await Promise.all(errors)) {
        expect(error).toMatchObject({ code: "ECONNRESET" });
      }
      // The will is sent only when a client has gone without DISCONNECT.
      await eventually("will is sent", () => wills.includes("will/a"));
      expect(watcher.connected).toBe(true);
      const again = await client(broker.url);
      await again.publishAsync("t", "x", { qos: 1 });
    });

    test("pause holds connections open and forwards nothing until resume", async () => {
      await using broker = await startBroker("mqtt", { how });
      const subscriber = await client(broker.url);
      const arrived: string[] = [];
      subscriber.on("message", (_topic, payload) => arrived.push(payload.toString()));
      await subscriber.subscribeAsync("t", { qos: 1 });
      const publisher = await client(broker.directUrl);

      broker.pause();
      const late = client(broker.url);
      for (const payload of ["1", "2", "3"]) await publisher.publishAsync("t", payload, { qos: 1 });
      let connectedEarly = false;
      late.then(() => {
        connectedEarly = true;
      });
      await sleep(200); // nothing may come: a shorter wait can only hide a fault, never fail by itself
      expect(arrived).toEqual([]);
      expect(connectedEarly).toBe(false);
      expect(subscriber.connected).toBe(true);

      broker.resume();
      await eventually("held messages arrive", () => arrived.length === 3);
      expect(arrived).toEqual(["1", "2", "3"]);
      expect((await late).connected).toBe(true);
    });

    test("cut reaches connections that are held", async () => {
      await using broker = await startBroker("mqtt", { how });
      const held = await client(broker.url);
      broker.pause();
      const closed = lost(held);
      await broker.cut();
      await closed;
      broker.resume();
      await client(broker.url);
    });
  },
);

test("an embedded broker offers no kill: its sessions would not survive", async () => {
  await using broker = await startBroker("mqtt", { how: "embedded" });
  expect(broker.kill).toBeUndefined();
  expect(broker.start).toBeUndefined();
  expect(broker.restart).toBeUndefined();
});
