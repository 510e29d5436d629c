import { setTimeout as sleep } from "node:timers/promises";
import type { OutgoingMessage, Publisher, Subscriber, Subscription } from "@lab/core";
import {
  type SolaceConnect,
  type SolacePublisherOptions,
  type SolaceSubscriberOptions,
  solacePublisher,
  solaceSubscriber,
} from "@lab/solace";
import { SolaceTestBroker, type TestBrokerOptions } from "@lab/solace-testbroker";
import solace from "solclientjs";
import { onTestFinished } from "vitest";
import { Inbox } from "./inbox.ts";

solace.SolclientFactory.init(
  new solace.SolclientFactoryProperties({
    profile: solace.SolclientFactoryProfiles.version10_5,
    logLevel: solace.LogLevel.FATAL,
  }),
);

export { solace };

/** Generous: it passes in full only when something is wrong. */
const limit = 10_000;

/** Short, so that tests do not wait for it. */
export const backoff = { base: 5, cap: 50 };

export async function eventually(what: string, holds: () => boolean): Promise<void> {
  const deadline = performance.now() + limit;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${limit} ms`);
    await sleep(5);
  }
}

/** How long to look for what must not come. Too short can only miss a fault, never see one that is not there. */
export const quiet = (): Promise<void> => sleep(100);

export interface Started {
  readonly broker: SolaceTestBroker;
  /** What the broker has logged. */
  readonly log: string[];
}

/** A test double that runs until the test is over. */
export async function started(options: TestBrokerOptions = {}): Promise<Started> {
  const log: string[] = [];
  const broker = new SolaceTestBroker({ ...options, log: (line) => log.push(line) });
  await broker.start();
  onTestFinished(() => broker.stop());
  return { broker, log };
}

export function connectTo(
  { url }: Pick<SolaceTestBroker, "url">,
  properties: object = {},
): SolaceConnect {
  return (defaults) =>
    solace.SolclientFactory.createSession({
      ...defaults,
      url,
      vpnName: "default",
      userName: "user",
      password: "password",
      ...properties,
    });
}

type Options<Full extends { connect: unknown }> = Partial<Full>;

export function subscriberOf(
  broker: Pick<SolaceTestBroker, "url">,
  options: Options<SolaceSubscriberOptions> = {},
): Subscriber {
  return solaceSubscriber({ solace, backoff, connect: connectTo(broker), ...options });
}

export function publisherOf(
  broker: Pick<SolaceTestBroker, "url">,
  options: Options<SolacePublisherOptions> = {},
): Publisher {
  const publisher = solacePublisher({
    solace,
    backoff,
    destination: "queue",
    connect: connectTo(broker),
    ...options,
  });
  onTestFinished(() => publisher.close());
  return publisher;
}

/** Publishes `m0`, `m1` … to a queue. */
export async function fill(broker: SolaceTestBroker, queue: string, count: number): Promise<void> {
  const messages = Array.from({ length: count }, (_, index) => ({
    body: Buffer.from(`m${index}`),
  }));
  await publish(broker, queue, ...messages);
}

export async function publish(
  broker: SolaceTestBroker,
  queue: string,
  ...messages: readonly OutgoingMessage[]
): Promise<void> {
  const publisher = publisherOf(broker);
  await publisher.publish(queue, messages);
  await publisher.close();
}

export interface Subscribed {
  readonly inbox: Inbox;
  readonly subscription: Subscription;
}

/** Subscribes until the test is over. */
export async function subscribed(
  broker: Pick<SolaceTestBroker, "url">,
  queue: string,
  { window = 10, ...options }: Options<SolaceSubscriberOptions> & { readonly window?: number } = {},
): Promise<Subscribed> {
  const inbox = new Inbox();
  const subscription = await subscriberOf(broker, options).subscribe(queue, { window }, inbox);
  onTestFinished(() => subscription.close());
  return { inbox, subscription };
}

/** What a subscription is refused with. */
export async function refusal(subscribing: Promise<Subscription>): Promise<Error> {
  try {
    await (await subscribing).close();
  } catch (error) {
    return error as Error;
  }
  throw new Error("it was not refused");
}
