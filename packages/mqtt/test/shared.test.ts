import { Ledger } from "@lab/contract";
import { consume } from "@lab/core";
import { mqttPublisher, mqttSubscriber } from "@lab/mqtt";
import { eventually, Inbox } from "@lab/testbed/testing";
import mqtt from "mqtt";
import { describe, expect, onTestFinished, test } from "vitest";
import { publish, subscribe, texts } from "./support/clients.ts";
import { mosquitto, withMosquitto } from "./support/mosquitto.ts";

const source = "$share/group/t";
const keys = 17;
const total = 2_000;

describe.skipIf(!withMosquitto)("a shared subscription (on mosquitto)", () => {
  test("warns, once, that several members lose the order of keys", async () => {
    const { url } = await mosquitto();
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on("warning", onWarning);
    onTestFinished(() => {
      process.off("warning", onWarning);
    });
    await subscribe({ url, source });
    await subscribe({ url, source });
    await new Promise(setImmediate);
    expect(warnings).toMatchObject([{ code: "LAB_MQTT_SHARED_ORDER" }]);
  });

  test("keeps the order of keys with one member", async () => {
    const { lost, violations } = await run(1);
    expect({ lost, violations }).toEqual({ lost: 0, violations: 0 });
  });

  test("loses the order of keys with two members, though every message is handled", async () => {
    const { lost, violations } = await run(2);
    expect(lost).toBe(0);
    expect(violations).toBeGreaterThan(0);
  });

  test.for([5, 4] as const)(
    "MQTT %s: goes on after a restart of the broker, which keeps the session and forgets the subscription",
    async (protocolVersion) => {
      const broker = await mosquitto();
      const { inbox, client } = await subscribe({ url: broker.url, source, protocolVersion });
      let resubscribed = 0;
      client.on("packetreceive", ({ cmd }) => {
        if (cmd === "suback") resubscribed++;
      });
      await publish(broker.url, texts(4));
      await inbox.received(4);
      await broker.restart?.();
      await eventually("the second subscription", () => resubscribed === 1);
      await publish(broker.url, ["after"]);
      await inbox.received(5);
      expect(inbox.bodies).toEqual([...texts(4), "after"]);
      expect(inbox.ended).toEqual([]);
    },
  );

  test("gives members their share of what comes, settled or not", async () => {
    const { url } = await mosquitto();
    const inboxes = [new Inbox(), new Inbox()];
    for (const inbox of inboxes) await subscribe({ url, source, inbox, window: 100 });
    await publish(url, texts(40));
    for (const inbox of inboxes) await inbox.received(20);
    expect(inboxes.flatMap(({ bodies }) => bodies).toSorted()).toEqual(texts(40).toSorted());
  });
});

/** Handles `total` messages of `keys` keys with one consumer a member, each with uneven handlers. */
async function run(members: number) {
  const { url } = await mosquitto();
  const ledger = new Ledger();
  for (let member = 0; member < members; member++) {
    const consumer = await consume({
      subscriber: mqttSubscriber({
        connect: (defaults) => mqtt.connect(url, { ...defaults, clientId: `member-${member}` }),
      }),
      source,
      window: 128,
      handler: async (_, { key = "", delivery }) => {
        const seq = Number(delivery.message.headers.seq);
        ledger.start(key, seq);
        if ((seq + member) % 3 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
        ledger.succeed(key, seq);
      },
    });
    onTestFinished(async () => {
      await consumer.stop();
    });
  }
  const publisher = mqttPublisher({ connect: (defaults) => mqtt.connect(url, defaults) });
  onTestFinished(() => publisher.close());
  await publisher.publish(
    "t",
    Array.from({ length: total }, (_, i) => {
      const key = `key-${i % keys}`;
      return { body: new Uint8Array(), key, headers: { seq: String(ledger.publish(key)) } };
    }),
  );
  await eventually("every message to be handled", () => ledger.complete);
  return ledger.report();
}
