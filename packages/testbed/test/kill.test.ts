import { startBroker } from "@lab/testbed";
import type { IClientOptions } from "mqtt";
import { expect, test } from "vitest";
import { client, eventually, lost, withMosquitto } from "./support.ts";

const persistent: IClientOptions = {
  clientId: "persistent",
  protocolVersion: 5,
  clean: false,
  properties: { sessionExpiryInterval: 600 },
};

test.runIf(withMosquitto).each(["queue/+", "$share/group/queue/+"])(
  "kill -9 and start keep a session on %s and what is queued for it, in order",
  async (filter) => {
    await using broker = await startBroker("mqtt", { how: "native" });
    const before = await client(broker.url, persistent);
    await before.subscribeAsync(filter, { qos: 1 });
    await before.endAsync();
    const publisher = await client(broker.url, { protocolVersion: 5 });
    const numbers = Array.from({ length: 2_000 }, (_, number) => number);
    await Promise.all(
      numbers.map((number) =>
        publisher.publishAsync("queue/a", `${number}`, {
          qos: 1,
          properties: { userProperties: { key: `k${number % 7}` } },
        }),
      ),
    );

    const cut = lost(publisher);
    await broker.kill?.();
    await cut;
    await expect(client(broker.url)).rejects.toThrow();
    const { url } = broker;
    await broker.start?.();
    expect(broker.url).toBe(url);

    const arrived: string[] = [];
    await client(broker.url, persistent, (_topic, payload, { properties }) => {
      arrived.push(`${payload} ${properties?.userProperties?.key}`);
    });
    await eventually("queued messages arrive", () => arrived.length >= numbers.length);
    expect(arrived).toEqual(numbers.map((number) => `${number} k${number % 7}`));
  },
);

test.runIf(withMosquitto)(
  "what was confirmed while the broker is killed under load is there after the restart",
  async () => {
    await using broker = await startBroker("mqtt", { how: "native" });
    const subscriber = await client(broker.url, persistent);
    await subscriber.subscribeAsync("queue/a", { qos: 1 });
    await subscriber.endAsync();
    const publisher = await client(broker.url, { reconnectPeriod: 20 });
    const confirmed: number[] = [];
    let next = 0;
    let publishing = true;
    const load = Array.from({ length: 50 }, async () => {
      while (publishing) {
        const number = next++;
        await publisher.publishAsync("queue/a", `${number}`, { qos: 1 });
        confirmed.push(number);
      }
    });

    for (let round = 1; round <= 3; round++) {
      const before = confirmed.length;
      await eventually("messages are confirmed", () => confirmed.length >= before + 500);
      await broker.restart?.();
    }
    publishing = false;
    await Promise.all(load);

    const arrived = new Set<string>();
    await client(broker.url, persistent, (_topic, payload) => void arrived.add(`${payload}`));
    await eventually("all confirmed messages arrive", () =>
      confirmed.every((number) => arrived.has(`${number}`)),
    );
  },
);

test.runIf(withMosquitto)(
  "kill and start may be repeated, and are over once it is stopped",
  async () => {
    const broker = await startBroker("mqtt", { how: "native" });
    await Promise.all([broker.kill?.(), broker.kill?.()]);
    await Promise.all([broker.start?.(), broker.start?.()]);
    expect((await client(broker.url)).connected).toBe(true);
    await broker.kill?.();
    await Promise.all([broker.stop(), broker.stop()]);
    await expect(broker.start?.()).rejects.toMatchObject({ code: "BROKER_START_FAILED" });
  },
);

test.runIf(withMosquitto)("pause outlasts a kill", async () => {
  await using broker = await startBroker("mqtt", { how: "native" });
  broker.pause();
  await broker.restart?.();
  const late = client(broker.url);
  let connected = false;
  late.then(() => {
    connected = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(connected).toBe(false);
  broker.resume();
  await late;
});
