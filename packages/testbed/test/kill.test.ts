import { startBroker } from "@lab/testbed";
import type { IClientOptions } from "mqtt";
import { expect, test } from "vitest";
import { client, eventually, lost } from "./support.ts";

const persistent: IClientOptions = {
  clientId: "persistent",
  protocolVersion: 5,
  clean: false,
  properties: { sessionExpiryInterval: 600 },
};

test.each(["queue/+", "$share/group/queue/+"])(
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
