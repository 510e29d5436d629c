import type { OutgoingMessage, Publisher } from "@lab/core";
import { expect, test } from "vitest";
import { failuresOf, rowsOf } from "../../src/publish/measure.ts";
import type { PublishReport, PublishRow } from "../../src/publish/report.ts";
import { targetsOf } from "../../src/publish/targets.ts";
import { publishFor } from "../../src/publish/variants.ts";

const about = { broker: "RabbitMQ", brokerVersion: "4", real: true };

const measured = (rates: readonly number[]) => rates.map((perSecond) => ({ perSecond, lost: 0 }));

test("rows are medians; what is over awaited is compared round by round", () => {
  const rows = rowsOf(
    [measured([10, 20, 30, 40, 50]), measured([20, 20, 40, 60, 80]), measured([5, 50, 25, 10, 40])],
    about,
  );
  expect(rows).toEqual([
    { ...about, variant: "awaited", batch: 1, perSecond: 10, overAwaited: 1 },
    { ...about, variant: "window", batch: 1, perSecond: 20, overAwaited: 2 }, // of 2, 1 and 10
    { ...about, variant: "batch", batch: 10, perSecond: 30, overAwaited: 3 }, // of 3, 2 and 5
    { ...about, variant: "batch", batch: 100, perSecond: 40, overAwaited: 3 }, // of 4, 3 and 2
    { ...about, variant: "batch", batch: 1000, perSecond: 50, overAwaited: 5 }, // of 5, 4 and 8
  ]);
});

test("messages that are missing are named; one that is there twice is no failure", () => {
  const round = [0, 0, 1_200, -3, 0].map((lost) => ({ perSecond: 1, lost }));
  expect(failuresOf("RabbitMQ", round)).toEqual([
    "RabbitMQ, batches of 10: 1,200 confirmed messages are missing.",
  ]);
});

/** Counts the calls under way at once. */
class Counting implements Publisher {
  readonly capabilities = { headers: false, keys: false };
  most = 0;
  #underWay = 0;
  async publish(_destination: string, messages: readonly OutgoingMessage[]): Promise<void> {
    this.most = Math.max(this.most, ++this.#underWay);
    expect(messages.length).toBeGreaterThan(0);
    await new Promise(setImmediate);
    this.#underWay--;
  }
  async close(): Promise<void> {}
}

test.each([
  [{ variant: "awaited", batch: 1, calls: 1 }, 50],
  [{ variant: "window", batch: 1, calls: 7 }, 50],
  [{ variant: "batch", batch: 20, calls: 1 }, 60],
] as const)("%j publishes up to the limit, with so many calls at once", async (variant, sent) => {
  const publisher = new Counting();
  const limit = { ms: 60_000, messages: 50 };
  const { messages, ms } = await publishFor(publisher, "here", variant, limit);
  expect(messages).toBe(sent);
  expect(ms).toBeGreaterThan(0);
  expect(publisher.most).toBe(variant.calls);
});

const report = (overAwaited: { amqp: number; mqtt: number }): PublishReport => {
  const row = (broker: string, batch: number, over: number): PublishRow => ({
    broker,
    brokerVersion: "1",
    real: true,
    variant: "batch",
    batch,
    perSecond: over,
    overAwaited: over,
  });
  return {
    params: { brokers: ["mqtt", "amqp"] },
    rows: [
      row("mosquitto", 100, overAwaited.mqtt),
      row("mosquitto", 10, 2),
      row("RabbitMQ", 100, overAwaited.amqp),
      row("RabbitMQ", 1000, 20),
    ],
  } as unknown as PublishReport;
};

test("the figures to reach: the best batch on MQTT, a batch of 100 on AMQP", () => {
  const reached = (over: { amqp: number; mqtt: number }): boolean[] =>
    targetsOf(report(over)).map((target) => target.reached);
  expect(reached({ mqtt: 10, amqp: 17 })).toEqual([true, true]);
  expect(reached({ mqtt: 9.9, amqp: 16.9 })).toEqual([false, false]);
});
