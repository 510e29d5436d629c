import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { publishBrokers } from "../../src/brokers.ts";
import { plainClients } from "../../src/publish/clients/index.ts";
import { failuresOf, rowsOf } from "../../src/publish/measure.ts";
import { type PublishReport, type PublishRow, rowName } from "../../src/publish/report.ts";
import { targetsOf } from "../../src/publish/targets.ts";
import { publishFor, variantsBeside } from "../../src/publish/variants.ts";
import type { Measured } from "../../src/publish/worker.ts";

const about = { broker: "RabbitMQ", brokerVersion: "4", real: true };

const measured = (rates: readonly number[]): Measured[] =>
  variantsBeside("amqplib@2").map(({ variant, batch, client }, i) => ({
    variant,
    batch,
    client,
    perSecond: rates[i] ?? 0,
    lost: 0,
  }));

test("rows are medians; what is over awaited is compared round by round, with our own", () => {
  const rows = rowsOf(
    [
      measured([10, 5, 20, 30, 40, 20, 50]),
      measured([20, 30, 20, 40, 60, 20, 80]),
      measured([5, 5, 50, 25, 10, 20, 40]),
    ],
    about,
  );
  const ours = { ...about, client: null };
  const plain = { ...about, variant: "client", client: "amqplib@2" };
  expect(rows).toEqual([
    { ...ours, variant: "awaited", batch: 1, perSecond: 10, overAwaited: 1 },
    { ...plain, batch: 1, perSecond: 5, overAwaited: 1 }, // of 0.5, 1.5 and 1
    { ...ours, variant: "window", batch: 1, perSecond: 20, overAwaited: 2 }, // of 2, 1 and 10
    { ...ours, variant: "batch", batch: 10, perSecond: 30, overAwaited: 3 }, // of 3, 2 and 5
    { ...ours, variant: "batch", batch: 100, perSecond: 40, overAwaited: 3 }, // of 4, 3 and 2
    { ...plain, batch: 100, perSecond: 20, overAwaited: 2 }, // of 2, 1 and 4
    { ...ours, variant: "batch", batch: 1000, perSecond: 50, overAwaited: 5 }, // of 5, 4 and 8
  ]);
});

test("where there is no plain client, there are our own alone", () => {
  const clients = variantsBeside(undefined).map(({ client }) => client);
  expect(clients).toEqual([null, null, null, null, null]);
});

test("rows are named by what publishes, and how", () => {
  expect(measured([]).map(rowName)).toEqual([
    "one, awaited",
    "amqplib 2, awaited",
    "one, 100 in flight",
    "batches of 10",
    "batches of 100",
    "amqplib 2, batches of 100",
    "batches of 1,000",
  ]);
});

test("messages that are missing are named", () => {
  const lost = [0, 0, 0, 1_200, 0, 7, 0];
  const round = measured([]).map((one, i) => ({ ...one, lost: lost[i] ?? 0 }));
  expect(failuresOf("RabbitMQ", round)).toEqual([
    "RabbitMQ, batches of 10: 1,200 confirmed messages are missing.",
    "RabbitMQ, amqplib 2, batches of 100: 7 confirmed messages are missing.",
  ]);
});

test("the versions of the plain clients are those that are installed", async () => {
  const manifest = JSON.parse(
    await readFile(new URL("../../package.json", import.meta.url), "utf8"),
  ) as { dependencies: Record<string, string> };
  const clients = Object.values(plainClients);
  expect(clients).toHaveLength(publishBrokers.length - 1); // Memory has none.
  for (const { client } of clients) {
    const [name = "", version] = client.split("@");
    expect(manifest.dependencies[name]).toBe(version);
  }
});

test.each([
  [{ batch: 1, calls: 1 }, 50],
  [{ batch: 1, calls: 7 }, 50],
  [{ batch: 20, calls: 1 }, 60],
] as const)("%j publishes up to the limit, with so many calls at once", async (variant, sent) => {
  let underWay = 0;
  let most = 0;
  let calls = 0;
  const publish = async (): Promise<void> => {
    calls++;
    most = Math.max(most, ++underWay);
    await new Promise(setImmediate);
    underWay--;
  };
  const limit = { ms: 60_000, messages: 50 };
  const { messages, ms } = await publishFor(publish, variant, limit);
  expect(messages).toBe(sent);
  expect(calls).toBe(sent / variant.batch);
  expect(ms).toBeGreaterThan(0);
  expect(most).toBe(variant.calls);
});

interface Figures {
  /** Of the best batch on MQTT, and of 100 on AMQP. */
  readonly mqtt: number;
  readonly amqp: number;
  /** Of 100 with the plain client. */
  readonly plain: number;
}

function report({ mqtt, amqp, plain }: Figures): PublishReport {
  const row = (
    broker: string,
    variant: PublishRow["variant"],
    batch: number,
    over: number,
    client: string | null = null,
  ): PublishRow => ({
    broker,
    brokerVersion: "1",
    real: true,
    variant,
    batch,
    client,
    perSecond: over,
    overAwaited: over,
  });
  const onMqtt = (product: string): PublishRow[] => [
    row(product, "awaited", 1, 1),
    row(product, "batch", 10, 2),
    row(product, "batch", 100, 5),
    row(product, "client", 100, plain, "mqtt@5"),
    row(product, "batch", 1000, mqtt),
  ];
  return {
    params: { brokers: ["memory", "mqtt", "lab", "amqp"] },
    rows: [
      row("memory", "awaited", 1, 1),
      row("memory", "batch", 100, 1),
      ...onMqtt("lab-mqtt-broker"), // Where there is no other.
      ...onMqtt("lab-mqtt-broker"),
      row("RabbitMQ", "awaited", 1, 1),
      row("RabbitMQ", "batch", 100, amqp),
      row("RabbitMQ", "client", 100, plain, "amqplib@2"),
      row("RabbitMQ", "batch", 1000, 20),
    ],
  } as unknown as PublishReport;
}

test("the figures to reach: the best batch on each MQTT broker, a batch of 100 on AMQP, the plain clients", () => {
  const reached = (figures: Figures): boolean[] =>
    targetsOf(report(figures)).map((target) => target.reached);
  expect(reached({ mqtt: 10, amqp: 17, plain: 5 })).toEqual(new Array(6).fill(true));
  expect(reached({ mqtt: 9.9, amqp: 16.9, plain: 17 })).toEqual(new Array(6).fill(false));
});

test("a figure to reach names broker and client", () => {
  const texts = targetsOf(report({ mqtt: 12, amqp: 8, plain: 4 })).map(({ text }) => text);
  expect(texts.slice(2)).toEqual([
    "MQTT on lab-mqtt-broker: batches of 1,000 12.0× as fast as awaited (target: 10× at least)",
    "MQTT on lab-mqtt-broker: batches of 100 1.25× as fast as mqtt.js's (target: 1× at least)",
    "AMQP on RabbitMQ: batches of 100 8.00× as fast as awaited (target: 17× at least)",
    "AMQP on RabbitMQ: batches of 100 2.00× as fast as amqplib's (target: 1× at least)",
  ]);
});
