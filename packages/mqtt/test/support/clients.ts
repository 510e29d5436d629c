import { randomUUID } from "node:crypto";
import type { Subscription } from "@lab/core";
import {
  type MqttPublisherOptions,
  type MqttSubscriberOptions,
  mqttPublisher,
  mqttSubscriber,
} from "@lab/mqtt";
import { Inbox } from "@lab/testbed/testing";
import mqtt, { type IClientOptions, type MqttClient } from "mqtt";
import { onTestFinished } from "vitest";

export interface SubscribeTo extends Partial<MqttSubscriberOptions> {
  readonly url: string;
  readonly source?: string;
  readonly window?: number;
  readonly client?: IClientOptions;
  readonly inbox?: Inbox;
  readonly signal?: AbortSignal;
}

export interface Subscribed {
  readonly inbox: Inbox;
  readonly subscription: Subscription;
  readonly client: MqttClient;
}

/** Subscribes to the topic `t` with a session of its own; closes with the test. */
export async function subscribe(to: SubscribeTo): Promise<Subscribed> {
  const { url, source = "t", window = 16, client: options, signal, ...rest } = to;
  const { inbox = new Inbox(), ...settings } = rest;
  let client: MqttClient | undefined;
  const subscriber = mqttSubscriber({
    connect: (defaults) => {
      client = mqtt.connect(url, {
        ...defaults,
        clientId: randomUUID(),
        reconnectPeriod: 50,
        ...options,
      });
      return client;
    },
    ...settings,
  });
  const subscription = await subscriber.subscribe(source, { window, signal }, inbox);
  onTestFinished(() => subscription.close());
  return { inbox, subscription, client: client as MqttClient };
}

/** Publishes texts, each confirmed, and leaves. */
export async function publish(
  url: string,
  texts: readonly string[],
  topic = "t",
  settings: Partial<MqttPublisherOptions> = {},
): Promise<void> {
  const publisher = mqttPublisher({
    connect: (defaults) => mqtt.connect(url, defaults),
    ...settings,
  });
  try {
    await publisher.publish(
      topic,
      texts.map((text) => ({ body: Buffer.from(text) })),
    );
  } finally {
    await publisher.close();
  }
}

/** A client of mqtt.js alone, connected; ends with the test. */
export async function rawClient(url: string, options: IClientOptions = {}): Promise<MqttClient> {
  const client = await mqtt.connectAsync(url, { reconnectPeriod: 0, ...options });
  onTestFinished(() => client.endAsync(true));
  return client;
}

/** "m0", "m1", … */
export function texts(count: number, prefix = "m"): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${i}`);
}
