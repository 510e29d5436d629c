import { randomUUID } from "node:crypto";
import { consume, type Delivery } from "@lab/core";
import { mqttPublisher, mqttSubscriber } from "@lab/mqtt";
import mqtt, { type IClientOptions } from "mqtt";
import { type Contender, lanes } from "./contender.ts";

/** mqtt.js has no window: it takes what comes. This one is large enough not to wait for the broker between messages. */
const mqttWindow = 4_096;

/** A backlog in a persistent session: the broker keeps it until the client of that name comes. */
interface Backlog {
  readonly url: string;
  readonly clientId: string;
  readonly topic: string;
  readonly messages: number;
}

/** `consume()` on the MQTT adapter: each message is acknowledged after its handler. */
export const consumeOnMqtt: Contender = {
  name: "consume on MQTT",
  peer: null,
  prepare: async (messages) => {
    const backlog = await queueBacklog(messages);
    return { start: () => drainWithConsume(backlog) };
  },
};

/** mqtt.js as it is: it acknowledges each message as it hands it out, before it is handled, and keeps no order of keys. */
export const stockMqtt: Contender = {
  name: "mqtt.js auto-ack",
  peer: "mqtt@5.16.0",
  prepare: async (messages) => {
    const backlog = await queueBacklog(messages);
    return { start: () => drainWithMqttJs(backlog) };
  },
};

export const mqttContenders: readonly Contender[] = [consumeOnMqtt, stockMqtt];

/** Persistent, as the adapter's defaults are. */
const session = {
  protocolVersion: 5,
  clean: false,
  properties: { sessionExpiryInterval: 600 },
} satisfies IClientOptions;

async function queueBacklog(messages: readonly Delivery[]): Promise<Backlog> {
  const url = process.argv[3];
  if (url === undefined) throw new Error("This contender needs the URL of a broker.");
  const clientId = `bench-${randomUUID()}`;
  const topic = `bench/${clientId}`;
  const owner = await mqtt.connectAsync(url, { ...session, clientId });
  await owner.subscribeAsync(topic, { qos: 1 });
  await owner.endAsync();
  const publisher = mqttPublisher({ connect: (defaults) => mqtt.connect(url, defaults) });
  const batch = 1_000;
  for (let from = 0; from < messages.length; from += batch) {
    const part = messages.slice(from, from + batch);
    await publisher.publish(
      topic,
      part.map(({ message: { body, key } }) => ({ body, key })),
    );
  }
  await publisher.close();
  return { url, clientId, topic, messages: messages.length };
}

async function drainWithConsume({ url, clientId, topic, messages }: Backlog): Promise<void> {
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let handled = 0;
  await using consumer = await consume({
    subscriber: mqttSubscriber({
      connect: (defaults) => mqtt.connect(url, { ...defaults, clientId }),
    }),
    source: topic,
    handler: async () => {
      if (++handled === messages) finish();
    },
    lanes,
    window: mqttWindow,
  });
  await Promise.race([finished, consumer.closed]);
}

async function drainWithMqttJs({ url, clientId, messages }: Backlog): Promise<void> {
  const client = mqtt.connect(url, { ...session, clientId });
  let handled = 0;
  await new Promise<void>((resolve, reject) => {
    client.on("error", reject);
    client.on("message", () => {
      if (++handled === messages) resolve();
    });
  });
  await client.endAsync();
}
