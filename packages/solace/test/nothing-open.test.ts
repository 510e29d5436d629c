import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import type { SolaceTestBroker } from "@lab/solace-testbroker";
import { expect, test } from "vitest";
import { Inbox } from "./support/inbox.ts";
import { connectTo, eventually, publisherOf, started, subscriberOf } from "./support/solace.ts";

/** The client leaves a socket open when it is disposed of while it connects: a few turns after it began to, here. */
const turns = [0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30];
const milliseconds = [1, 2, 3, 5, 8, 12];

const moments = [
  ...turns.map((count) => async () => {
    for (let i = 0; i < count; i++) await turn();
  }),
  ...milliseconds.map((ms) => () => sleep(ms)),
];

/** Each ends something in the moment that `moment` leads to. */
const endings = {
  "a subscription that is closed after a cut": async (broker, moment) => {
    const subscription = await subscriberOf(broker).subscribe("q", { window: 5 }, new Inbox());
    broker.cut();
    await moment();
    await subscription.close();
  },
  "a subscription that is closed while it connects again": async (broker, moment) => {
    const inbox = new Inbox();
    const backoff = { base: 1, cap: 1 };
    const subscriber = subscriberOf(broker, { backoff });
    const subscription = await subscriber.subscribe("q", { window: 5 }, inbox);
    broker.cut();
    await eventually("the loss", () => inbox.states.includes("reconnecting"));
    await moment();
    await subscription.close();
  },
  "a subscription whose client reconnects by itself": async (broker, moment) => {
    const connect = connectTo(broker, { reconnectRetries: 3, reconnectRetryWaitInMsecs: 10 });
    const subscriber = subscriberOf(broker, { connect });
    const subscription = await subscriber.subscribe("q", { window: 5 }, new Inbox());
    broker.cut();
    await moment();
    await subscription.close();
  },
  "a start that is aborted": async (broker, moment) => {
    const controller = new AbortController();
    const options = { window: 5, signal: controller.signal };
    const subscribing = subscriberOf(broker)
      .subscribe("q", options, new Inbox())
      .then(
        (subscription) => subscription.close(),
        () => {},
      );
    await moment();
    controller.abort();
    await subscribing;
  },
  "a publisher that gives up while it connects": async (broker, moment) => {
    const publisher = publisherOf(broker, { confirmTimeout: 1 });
    const published = publisher.publish("q", [{ body: Buffer.from("m") }]).catch(() => {});
    await moment();
    await Promise.all([published, publisher.close()]);
  },
  "a publisher that is closed after a cut": async (broker, moment) => {
    const publisher = publisherOf(broker);
    await publisher.publish("q", [{ body: Buffer.from("m") }]);
    broker.cut();
    await moment();
    await publisher.close();
  },
} satisfies Record<string, (broker: SolaceTestBroker, moment: () => Promise<void>) => unknown>;

test.each(Object.entries(endings))("%s leaves no socket open", async (_, ending) => {
  const { broker } = await started();
  broker.createQueue("q", { access: "non-exclusive" });
  for (const moment of moments) await ending(broker, moment);
  await eventually("every socket to be closed", () => sockets() === 0);
});

test("sockets that are left open would be seen", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  const subscription = await subscriberOf(broker).subscribe("q", { window: 5 }, new Inbox());
  expect(sockets()).toBe(2);
  await subscription.close();
});

/** Those of the test broker included. */
function sockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
}
