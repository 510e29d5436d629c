import { expect, test } from "vitest";
import { eventually, fill, started, subscribed } from "./support/solace.ts";

/** Less than a goodbye that waits for an answer in vain, and more than the machine may dawdle. */
const atOnce = 1_500;

test("closing ends the session: what is in hand is stale, and the broker's again", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  await fill(broker, "q", 5);
  const { inbox, subscription } = await subscribed(broker, "q", { window: 3 });
  await eventually("delivery", () => inbox.deliveries.length === 3);
  await Promise.all([subscription.close(), subscription.close()]);
  expect(broker.depth("q")).toEqual({ ready: 5, unacknowledged: 0, consumers: 0 });
  expect(inbox.endedSessions).toHaveLength(1);
  for (const delivery of inbox.deliveries) expect(delivery.settle("ack")).toBe("stale");
  expect(inbox.states).toEqual(["connecting", "connected", "closed"]);
});

test("closing works while the connection is away, and takes no time", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  const { inbox, subscription } = await subscribed(broker, "q");
  await broker.stop();
  await eventually("the loss", () => inbox.states.includes("reconnecting"));
  const since = performance.now();
  await subscription.close();
  expect(performance.now() - since).toBeLessThan(atOnce);
  expect(inbox.states.at(-1)).toBe("closed");
});

test("closing works in the moment of the cut", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  await fill(broker, "q", 3);
  const { inbox, subscription } = await subscribed(broker, "q");
  await eventually("delivery", () => inbox.deliveries.length === 3);
  broker.cut();
  const since = performance.now();
  await subscription.close();
  expect(performance.now() - since).toBeLessThan(atOnce);
  await eventually("all to be back", () => broker.depth("q").ready === 3);
});

test("closing waits two seconds for each goodbye that a silent broker does not answer, and no longer", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  const { subscription } = await subscribed(broker, "q");
  broker.faults.delay = 60_000;
  const since = performance.now();
  await subscription.close();
  const took = performance.now() - since;
  expect(took).toBeGreaterThan(1_500);
  expect(took).toBeLessThan(8_000);
});

test("closing while a new session is being opened ends that too", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  const { inbox, subscription } = await subscribed(broker, "q");
  broker.faults.bind = () => "no answer";
  broker.unbind("q", { code: 503, text: "Queue Shutdown" });
  await eventually("its loss", () => inbox.states.includes("reconnecting"));
  await subscription.close();
  expect(inbox.states.at(-1)).toBe("closed");
  await eventually("nobody to be left", () => broker.depth("q").consumers === 0);
});

test("a stopped subscription that loses its consumer does not open another", async () => {
  const { broker, log } = await started();
  broker.createQueue("q");
  await fill(broker, "q", 2);
  const { inbox, subscription } = await subscribed(broker, "q");
  await eventually("delivery", () => inbox.deliveries.length === 2);
  await subscription.stop();
  broker.unbind("q", { code: 503, text: "Queue Shutdown" });
  await eventually("the end of its session", () => inbox.endedSessions.length === 1);
  await subscription.close();
  expect(log.filter((line) => line.includes("bound to queue")).length).toBe(1);
});

test("an abort during the start leaves nothing open", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  broker.faults.bind = () => "no answer";
  const { subscriberOf } = await import("./support/solace.ts");
  const { Inbox } = await import("./support/inbox.ts");
  const controller = new AbortController();
  const reason = new Error("enough");
  const subscribing = subscriberOf(broker).subscribe(
    "q",
    { window: 1, signal: controller.signal },
    new Inbox(),
  );
  setTimeout(() => controller.abort(reason), 50);
  await expect(subscribing).rejects.toBe(reason);
});
