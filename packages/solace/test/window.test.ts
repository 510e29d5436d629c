import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { eventually, fill, quiet, started, subscribed } from "./support/solace.ts";

test("no more is handed out than the window, though the client's window size limits only what it reads ahead", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  await fill(broker, "q", 100);
  const { inbox } = await subscribed(broker, "q", { window: 3, readAhead: 20 });
  await eventually("a full window", () => inbox.deliveries.length === 3);
  await quiet();
  expect(inbox.deliveries).toHaveLength(3);
});

test("what is held in memory is the window and what is read ahead, however long the backlog", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  await fill(broker, "q", 1_000);
  await subscribed(broker, "q", { window: 10, readAhead: 5 });
  await quiet();
  // Of one chunk of the network there may be more than was asked for.
  expect(broker.stats.delivered).toBeLessThanOrEqual(10 + 2 * 5);
});

test.for([
  [8, 8],
  [1_000, 64],
] as const)("with a window of %i the client reads %i ahead", async ([window, readAhead]) => {
  const { broker, log } = await started();
  broker.createQueue("q");
  await subscribed(broker, "q", { window });
  expect(log.some((line) => line.endsWith(`bound to queue "q", window ${readAhead}`))).toBe(true);
});

test("a single place that frees is filled, also while the rest of the window stays taken", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  await fill(broker, "q", 20);
  const { inbox } = await subscribed(broker, "q", { window: 4 });
  await eventually("a full window", () => inbox.deliveries.length === 4);
  for (let next = 4; next < 20; next++) {
    inbox.deliveries[next - 1]?.settle("ack"); // Three of the first four stay for good.
    await eventually("one more", () => inbox.deliveries.length === next + 1);
  }
});

test("a window that fills and frees thousands of times never stalls", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  await fill(broker, "q", 3_000);
  let open = 0;
  let most = 0;
  const { inbox } = await subscribed(broker, "q", { window: 5 });
  const settleSoon = (delivery: (typeof inbox.deliveries)[number]): void => {
    open++;
    most = Math.max(most, open);
    setImmediate(() => {
      open--;
      delivery.settle("ack");
    });
  };
  inbox.onDelivery = settleSoon;
  for (const delivery of [...inbox.deliveries]) settleSoon(delivery);
  await eventually("all of them", () => inbox.deliveries.length === 3_000);
  expect(most).toBeLessThanOrEqual(5);
  await eventually("all acknowledged", () => broker.stats.acknowledged === 3_000);
});

test("a delivery that is settled from within its own hand-over frees its place", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  await fill(broker, "q", 500);
  const { inbox } = await subscribed(broker, "q", { window: 1 });
  inbox.onDelivery = (delivery) => void delivery.settle("ack");
  inbox.deliveries[0]?.settle("ack");
  await eventually("all of them", () => inbox.deliveries.length === 500);
});

test("nothing is handed out after stop, not even what was read ahead, and settling still works", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  await fill(broker, "q", 50);
  const { inbox, subscription } = await subscribed(broker, "q", { window: 4 });
  await eventually("a full window", () => inbox.deliveries.length === 4);
  await subscription.stop();
  for (const delivery of inbox.deliveries) expect(delivery.settle("ack")).toBe("settled");
  await sleep(50);
  expect(inbox.deliveries).toHaveLength(4);
  await subscription.close();
  expect(broker.depth("q")).toEqual({ ready: 46, unacknowledged: 0, consumers: 0 });
});
