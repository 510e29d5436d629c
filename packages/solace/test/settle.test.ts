import { LabError } from "@lab/core";
import { expect, test } from "vitest";
import { eventually, fill, quiet, started, subscribed } from "./support/solace.ts";

test("nothing is acknowledged before it is settled", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  await fill(broker, "q", 5);
  const { inbox } = await subscribed(broker, "q");
  await eventually("delivery", () => inbox.deliveries.length === 5);
  await quiet();
  expect(broker.stats.acknowledged).toBe(0);
});

test("settled out of order, each message is acknowledged by itself", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  await fill(broker, "q", 6);
  const { inbox, subscription } = await subscribed(broker, "q");
  await eventually("delivery", () => inbox.deliveries.length === 6);
  for (const index of [4, 1, 2]) inbox.deliveries[index]?.settle("ack");
  await subscription.close();
  expect(broker.stats.acknowledged).toBe(3);
  const next = await subscribed(broker, "q");
  await eventually("the others", () => next.inbox.deliveries.length === 3);
  expect(next.inbox.bodies).toEqual(["m0", "m3", "m5"]);
});

test("a nacked message comes again, a rejected one goes to the dead message queue", async () => {
  const { broker } = await started();
  broker.createQueue("#DEAD_MSG_QUEUE");
  broker.createQueue("q", { deliveryCount: true });
  await fill(broker, "q", 2);
  const { inbox } = await subscribed(broker, "q", { deliveryCount: true });
  await eventually("delivery", () => inbox.deliveries.length === 2);
  expect(inbox.deliveries[0]?.settle("nack")).toBe("settled");
  expect(inbox.deliveries[1]?.settle("reject")).toBe("settled");
  await eventually("redelivery", () => inbox.deliveries.length === 3);
  expect(inbox.bodies[2]).toBe("m0");
  expect(inbox.deliveries[2]).toMatchObject({ redelivered: true, deliveryCount: 2 });
  await eventually("its end", () => broker.depth("#DEAD_MSG_QUEUE").ready === 1);
});

test("a second settle does nothing, whatever the client makes of it", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  await fill(broker, "q", 1);
  const { inbox } = await subscribed(broker, "q");
  await eventually("delivery", () => inbox.deliveries.length === 1);
  const [delivery] = inbox.deliveries;
  expect(delivery?.settle("ack")).toBe("settled");
  expect(delivery?.settle("ack")).toBe("repeated");
  expect(delivery?.settle("nack")).toBe("repeated");
  await eventually("acknowledgement", () => broker.stats.acknowledged === 1);
  expect(broker.stats.failed).toBe(0);
});

test("without negative acknowledgements they are refused, and the delivery stays open", async () => {
  const { broker } = await started({ nacks: false });
  broker.createQueue("q");
  await fill(broker, "q", 1);
  const { inbox } = await subscribed(broker, "q", { nacks: false });
  await eventually("delivery", () => inbox.deliveries.length === 1);
  const [delivery] = inbox.deliveries;
  for (const outcome of ["nack", "reject"] as const) {
    expect(() => delivery?.settle(outcome)).toThrow(LabError);
  }
  expect(delivery?.settle("ack")).toBe("settled");
  await eventually("acknowledgement", () => broker.stats.acknowledged === 1);
});

test("acknowledgements are sent within the interval that was asked for, not after the client's second", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  await fill(broker, "q", 1);
  const { inbox } = await subscribed(broker, "q", { ackInterval: 20 });
  await eventually("delivery", () => inbox.deliveries.length === 1);
  const since = performance.now();
  inbox.settleAll();
  await eventually("acknowledgement", () => broker.stats.acknowledged === 1);
  expect(performance.now() - since).toBeLessThan(900);
});

test("closing sends what was settled a moment before, and takes leave of the queue", async () => {
  const { broker, log } = await started();
  broker.createQueue("q");
  await fill(broker, "q", 10);
  const { inbox, subscription } = await subscribed(broker, "q", { ackInterval: 1_500 });
  await eventually("delivery", () => inbox.deliveries.length === 10);
  inbox.settleAll();
  await subscription.close();
  expect(broker.stats.acknowledged).toBe(10);
  expect(broker.depth("q")).toEqual({ ready: 0, unacknowledged: 0, consumers: 0 });
  expect(log.some((line) => line.endsWith('unbound from queue "q"'))).toBe(true);
});

test("a delivery count that the queue does not give is told once, and absent", async () => {
  const { broker } = await started();
  broker.createQueue("counts-nothing");
  await fill(broker, "counts-nothing", 3);
  const warnings: unknown[] = [];
  const listen = (warning: Error): void => void warnings.push((warning as { code?: string }).code);
  process.on("warning", listen);
  const { inbox } = await subscribed(broker, "counts-nothing", { deliveryCount: true });
  await eventually("delivery", () => inbox.deliveries.length === 3);
  await quiet();
  process.off("warning", listen);
  expect(inbox.deliveries.map(({ deliveryCount }) => deliveryCount)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(warnings).toEqual(["LAB_SOLACE_DELIVERY_COUNT"]);
});
