import { expect, test } from "vitest";
import { contenders } from "../../src/throughput/contenders/index.ts";
import { failuresOf, rowsOf } from "../../src/throughput/measure.ts";
import { Meter } from "../../src/throughput/meter.ts";
import type { ThroughputReport, ThroughputRow } from "../../src/throughput/report.ts";
import { targetsOf } from "../../src/throughput/targets.ts";

const body = new Uint8Array();
const about = { broker: "kafka", brokerVersion: "4", real: true, messages: 100 };

test("the meter measures what comes after the messages for warming up", async () => {
  const meter = new Meter(2, 3);
  await meter.handler(body);
  await meter.handler(body);
  const started = performance.now();
  for (let i = 0; i < 3; i++) await meter.handler(body);
  const ms = performance.now() - started;
  await meter.finished;
  const { perSecond, residentBytes, handled } = meter.result();
  expect(handled).toBe(5);
  expect(perSecond).toBeGreaterThanOrEqual((3 / ms) * 1000);
  expect(residentBytes.peak).toBeGreaterThanOrEqual(residentBytes.before);
});

test("rows are medians; what is over raw is compared round by round", () => {
  const measured = (perSecond: number, cpuUsPerMessage: number) => ({
    perSecond,
    cpuUsPerMessage,
    residentBytes: { before: perSecond, peak: 2 * perSecond },
    handled: 100,
  });
  const [raw, other] = contenders.kafka;
  if (raw === undefined || other === undefined) throw new Error("Kafka has several contenders.");
  const rows = rowsOf(
    [
      { contender: raw, measured: [measured(100, 4), measured(10, 4), measured(50, 2)] },
      { contender: other, measured: [measured(50, 4), measured(20, 2), measured(75, 8)] },
    ],
    about,
  );
  expect(rows.map(({ variant, client, ...row }) => row)).toEqual([
    {
      ...about,
      perSecond: 50,
      cpuUsPerMessage: 4,
      overRaw: 1,
      cpuOverRaw: 1,
      residentBytes: { before: 50, peak: 100 },
    },
    {
      ...about,
      perSecond: 50,
      cpuUsPerMessage: 4,
      overRaw: 1.5, // of 0.5, 2 and 1.5
      cpuOverRaw: 1, // of 1, 0.5 and 4
      residentBytes: { before: 50, peak: 100 },
    },
  ]);
});

test("messages left, and messages handled twice, are named", () => {
  expect(failuresOf("kafka, consume", { more: 0, left: 0 })).toEqual([]);
  expect(failuresOf("kafka, consume", { more: 1000, left: 2 })).toEqual([
    "kafka, consume: 1,000 messages handled twice.",
    "kafka, consume: 2 messages left on the broker.",
  ]);
});

const row = (
  broker: string,
  client: string | null,
  variant: string,
  figures: Partial<ThroughputRow>,
): ThroughputRow => ({
  broker,
  brokerVersion: "1",
  real: true,
  variant,
  client,
  messages: 1000,
  perSecond: 100,
  cpuUsPerMessage: 1,
  overRaw: 1,
  cpuOverRaw: 1,
  residentBytes: { before: 100 * 2 ** 20, peak: 120 * 2 ** 20 },
  ...figures,
});

const reached = (rows: ThroughputRow[]): boolean[] =>
  targetsOf({ rows } as unknown as ThroughputReport).map((target) => target.reached);

const peers = [
  row("mosquitto", "mqtt@1", "auto-ack", {}),
  row("RabbitMQ", "amqplib@1", "ack each", {}),
  row("Apache Kafka", "kafkajs@1", "eachBatch", {}),
  row("Apache Kafka", "kafkajs@1", "eachMessage", { cpuUsPerMessage: 1.5 }),
  row("Solace", "solclientjs@1", "acknowledged after the handler", {}),
];

test("the figures to reach are reached by rows that are just good enough", () => {
  const ours = [
    row("mosquitto", null, "consume", {}),
    row("RabbitMQ", null, "consume", {}),
    row("RabbitMQ", null, "consume, multiple ack", { perSecond: 101 }),
    row("Apache Kafka", null, "consume", { cpuUsPerMessage: 1.2, cpuOverRaw: 1.15 }),
    row("Solace", null, "consume", { perSecond: 95 }),
  ];
  expect(reached([...peers, ...ours])).toEqual(new Array(6).fill(true));
});

test("each is missed by a row that is not", () => {
  const ours = [
    row("mosquitto", null, "consume", { perSecond: 99 }),
    row("RabbitMQ", null, "consume", { perSecond: 99 }),
    row("RabbitMQ", null, "consume, multiple ack", { perSecond: 99 }),
    row("Apache Kafka", null, "consume", { cpuUsPerMessage: 1.21, cpuOverRaw: 1.16 }),
    row("Solace", null, "consume", { perSecond: 94 }),
  ];
  expect(reached([...peers, ...ours])).toEqual(new Array(6).fill(false));
});

test("memory is judged over a million messages", () => {
  const grown = { before: 100 * 2 ** 20, peak: 165 * 2 ** 20 };
  const kafka = (messages: number, residentBytes = grown): ThroughputRow =>
    row("Apache Kafka", null, "consume", { messages, residentBytes });
  expect(reached([kafka(999_999)])).toEqual([]);
  expect(reached([kafka(1_000_000)])).toEqual([false]);
  expect(reached([kafka(1_000_000, { ...grown, peak: 164 * 2 ** 20 })])).toEqual([true]);
});
