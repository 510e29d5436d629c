import { LabError } from "@lab/core";
import { eventually, type Inbox } from "@lab/testbed/testing";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { publish, subscribe } from "./support/clients.ts";
import { mosquitto, withMosquitto } from "./support/mosquitto.ts";
import { message, scriptedBroker } from "./support/scripted-broker.ts";

describe.skipIf(!withMosquitto)("reconnecting (on mosquitto)", () => {
  test("tells that the connection is gone and back, and why", async () => {
    const broker = await mosquitto();
    const { inbox } = await subscribe({ url: broker.url });
    await broker.cut();
    await inbox.state("connected", 2);
    expect(inbox.states.map(({ state }) => state)).toEqual([
      "connecting",
      "connected",
      "reconnecting",
      "connected",
    ]);
    expect(inbox.states[2]?.cause).toMatchObject({ code: "CONNECTION_LOST" });
  });

  test("goes on until the broker is back", async () => {
    const broker = await mosquitto();
    const { inbox } = await subscribe({ url: broker.url });
    await broker.kill?.();
    await inbox.state("reconnecting");
    await new Promise((resolve) => setTimeout(resolve, 300));
    await broker.start?.();
    await inbox.state("connected", 2);
    await publish(broker.url, ["after"]);
    await inbox.received(1);
  });

  test("sees a cut while the window is full and nothing is read", async () => {
    const broker = await mosquitto();
    const { inbox } = await subscribe({ url: broker.url, protocolVersion: 4, window: 1 });
    await publish(broker.url, ["a", "b", "c"]);
    await inbox.received(1);
    await broker.cut();
    await inbox.state("reconnecting");
  });
});

describe("reconnecting (on a scripted broker)", () => {
  test.for([
    ["not yet available", 0x88],
    ["busy", 0x89],
  ] as const)("is not given up when the broker says that it is %s", async ([, reasonCode]) => {
    const broker = await scriptedBroker(
      (index) => ({ reasonCode: index === 1 ? reasonCode : 0, sessionPresent: index > 0 }),
      (connection, index) => (index === 2 ? connection.send(message(1, "back")) : undefined),
    );
    const { inbox } = await subscribe({ url: broker.url });
    broker.connections[0]?.cut();
    await inbox.received(1);
    expect(inbox.failures).toEqual([]);
  });

  test("is tried when a packet cannot be read: mqtt.js would go on in the middle of nowhere", async () => {
    const broker = await scriptedBroker((index) => ({ sessionPresent: index > 0 }));
    const { inbox } = await subscribe({ url: broker.url });
    broker.connections[0]?.sendBytes(0x30 | 0x06, 0); // PUBLISH with QoS 3
    await inbox.state("connected", 2);
    broker.connections[1]?.send(message(1, "whole"));
    await inbox.received(1);
  });

  test("ends for good, and says so, when the broker does not let the client in any more", async () => {
    const broker = await scriptedBroker((index) => ({ reasonCode: index === 0 ? 0 : 0x86 }));
    const { inbox, subscription } = await subscribe({ url: broker.url });
    broker.connections[0]?.cut();
    await failed(inbox, "ACCESS_REFUSED");
    expect(inbox.states.at(-1)?.state).toBe("closed");
    await subscription.close();
    expect(broker.connections).toHaveLength(2);
  });

  test("is not tried when another client has taken the client id: the two would push each other out for ever", async () => {
    const broker = await scriptedBroker(() => ({}));
    const { inbox } = await subscribe({ url: broker.url });
    broker.connections[0]?.send({ cmd: "disconnect", reasonCode: 0x8e });
    await failed(inbox, "SUBSCRIPTION_FAILED");
    expect(inbox.failures[0]?.message).toContain("same client id");
    expect(broker.connections).toHaveLength(1);
  });

  test("waits longer each time while connections do not last, and no two clients alike", async () => {
    const broker = await scriptedBroker(
      (index) => ({ sessionPresent: index > 0 }),
      (connection, index) => (index > 0 ? connection.cut() : undefined),
    );
    const { client } = await subscribe({ url: broker.url, client: { reconnectPeriod: 8 } });
    const waits = new Set<number | undefined>();
    client.on("reconnect", () => waits.add(client.options.reconnectPeriod));
    broker.connections[0]?.cut();
    await eventually("eight connections", () => broker.connections.length >= 8);
    expect(client.options.reconnectPeriod).toBeGreaterThanOrEqual(8 * 2 ** 5);
    expect(waits.size).toBeGreaterThan(3);
  });

  test("starts with short waits again after a connection that has lasted", async () => {
    const broker = await scriptedBroker((index) => ({ sessionPresent: index > 0 }));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { client, inbox } = await subscribe({ url: broker.url, client: { reconnectPeriod: 8 } });
    for (let cuts = 1; cuts <= 3; cuts++) {
      broker.connections.at(-1)?.cut();
      await inbox.state("connected", 1 + cuts);
    }
    expect(client.options.reconnectPeriod).toBeGreaterThan(8);
    vi.advanceTimersByTime(5_000);
    expect(client.options.reconnectPeriod).toBeLessThanOrEqual(8);
  });

  test("fails when the subscription is refused the second time", async () => {
    let refuse = false;
    const broker = await scriptedBroker(
      () => ({}),
      () => {},
      (qos) => (refuse ? 0x87 : qos),
    );
    const { inbox } = await subscribe({ url: broker.url });
    refuse = true;
    broker.connections[0]?.cut();
    await failed(inbox, "ACCESS_REFUSED");
  });
});

async function failed(inbox: Inbox, code: LabError["code"]): Promise<void> {
  await eventually("the failure", () => inbox.failures.length === 1);
  expect(inbox.failures[0]).toBeInstanceOf(LabError);
  expect(inbox.failures[0]).toMatchObject({ code });
}
