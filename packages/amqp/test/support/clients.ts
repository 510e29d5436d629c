import { randomUUID } from "node:crypto";
import {
  type AmqpPublisherOptions,
  type AmqpSubscriberOptions,
  amqpPublisher,
  amqpSubscriber,
} from "@lab/amqp";
import type { OutgoingMessage, Publisher, Subscription } from "@lab/core";
import { Inbox } from "@lab/testbed/testing";
import {
  type Channel,
  type ChannelModel,
  type ConfirmChannel,
  connect,
  type Options,
} from "amqplib";
import { onTestFinished } from "vitest";

export interface SubscribeTo extends Partial<AmqpSubscriberOptions> {
  readonly url: string;
  readonly queue: string;
  readonly window?: number;
  readonly inbox?: Inbox;
  readonly signal?: AbortSignal;
}

export interface Subscribed {
  readonly inbox: Inbox;
  readonly subscription: Subscription;
}

/** Short, so that tests do not wait for it. */
export const backoff = { base: 20, cap: 200 } as const;

/** Closes with the test. */
export async function subscribe(to: SubscribeTo): Promise<Subscribed> {
  const { url, queue, window = 16, inbox = new Inbox(), signal, ...options } = to;
  const subscriber = amqpSubscriber({
    connect: (defaults) => connect(url, { ...defaults }),
    backoff,
    ...options,
  });
  const subscription = await subscriber.subscribe(queue, { window, signal }, inbox);
  onTestFinished(() => subscription.close());
  return { inbox, subscription };
}

/** Closes with the test. */
export function publisher(url: string, options: Partial<AmqpPublisherOptions> = {}): Publisher {
  const made = amqpPublisher({
    connect: (defaults) => connect(url, { ...defaults }),
    backoff,
    ...options,
  });
  onTestFinished(() => made.close());
  return made;
}

export async function publish(
  url: string,
  queue: string,
  messages: readonly OutgoingMessage[],
): Promise<void> {
  const once = amqpPublisher({ connect: (defaults) => connect(url, { ...defaults }) });
  try {
    await once.publish(queue, messages);
  } finally {
    await once.close();
  }
}

/** `count` messages with the bodies "0", "1", … */
export function texts(count: number, from = 0): OutgoingMessage[] {
  return Array.from({ length: count }, (_, i) => ({ body: Buffer.from(`${from + i}`) }));
}

export function names(count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, i) => `${from + i}`);
}

/** amqplib alone, with what is thrown at it ignored; ends with the test. */
export async function raw(
  url: string,
  options: object = {},
): Promise<{ connection: ChannelModel; channel: ConfirmChannel }> {
  const connection = await connect(url, { noDelay: true, ...options });
  connection.on("error", () => {});
  onTestFinished(() => connection.close().catch(() => {}));
  const channel = await connection.createConfirmChannel();
  channel.on("error", () => {});
  return { connection, channel };
}

/** A new queue with a name of its own. */
export async function queueAt(
  url: string,
  type: "classic" | "quorum" = "classic",
  options: Options.AssertQueue = {},
): Promise<string> {
  const queue = `${type}-${randomUUID()}`;
  const connection = await connect(url);
  const channel = await connection.createChannel();
  await channel.assertQueue(queue, {
    ...options,
    arguments: { "x-queue-type": type, ...options.arguments },
  });
  await channel.close();
  await connection.close();
  return queue;
}

/** Messages that wait for a consumer. */
export async function ready(channel: Channel, queue: string): Promise<number> {
  return (await channel.checkQueue(queue)).messageCount;
}
