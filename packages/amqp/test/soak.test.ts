import { setTimeout as sleep } from "node:timers/promises";
import { amqpSubscriber } from "@lab/amqp";
import { Ledger } from "@lab/contract";
import { consume, type OutgoingMessage, PublishError, type Publisher } from "@lab/core";
import type { RunningBroker } from "@lab/testbed";
import { eventually } from "@lab/testbed/testing";
import { connect } from "amqplib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { backoff, publisher, queueAt, raw, ready } from "./support/clients.ts";
import { rabbitMq, withRabbitMq } from "./support/rabbitmq.ts";

// For longer: AMQP_SOAK_ROUNDS=20 npx vitest run packages/amqp/test/soak.test.ts. The seed is part of every failure.
const rounds = Number(process.env.AMQP_SOAK_ROUNDS ?? 1);
const seed = Number(process.env.AMQP_SOAK_SEED ?? Date.now() % 1_000_000);

const keys = 40;
const batches = 60;
const batchSize = 100;

interface Entry {
  readonly key: string;
  readonly seq: number;
}

describe.skipIf(!withRabbitMq)(`soak, seed ${seed}`, () => {
  let broker: RunningBroker;
  beforeAll(async () => {
    broker = await rabbitMq();
  });
  afterAll(() => broker.stop());

  const runs = Array.from({ length: rounds }, (_, round) => [
    { type: "classic", ack: "single", round } as const,
    { type: "quorum", ack: "multiple", round } as const,
    { type: "quorum", ack: "single", only: true, round } as const,
  ]).flat();

  test.for(runs)(
    "closed connections, cuts, kill -9 and restarts lose nothing and keep the order: %o",
    { timeout: 180_000 },
    async ({ type, ack, only = false, round }) => {
      const random = numbers(seed + round);
      const queue = await queueAt(broker.directUrl, type, {
        arguments: { "x-single-active-consumer": only },
      });
      const ledger = new Ledger();
      const out = publisher(broker.url);
      const consumer = await consume<Entry>({
        subscriber: amqpSubscriber({
          ack,
          queueType: type,
          backoff,
          connect: (defaults) => connect(broker.url, { ...defaults }),
        }),
        source: queue,
        deserialize: ({ body }) => JSON.parse(Buffer.from(body).toString()),
        window: 64,
        lanes: 16,
        retry: { attempts: 10, base: 1, cap: 5 },
        handler: async ({ key, seq }) => {
          ledger.start(key, seq);
          if (random() < 0.5) await sleep(random() * 4);
          if (random() < 0.02) {
            ledger.fail(key, seq);
            throw new Error("a failure now and then");
          }
          ledger.succeed(key, seq);
        },
      });

      const faults = [
        () => broker.admin?.("close_all_connections", "soak"),
        () => broker.cut(),
        () => broker.restart?.(),
        () => broker.admin?.("close_all_connections", "soak"),
        async () => {
          await broker.admin?.("stop_app");
          await broker.admin?.("start_app");
        },
      ].sort(() => random() - 0.5);
      const every = Math.floor(batches / (faults.length + 1));
      let fault: unknown;
      for (let batch = 0; batch < batches; batch++) {
        const next = batch % every === every - 1 ? faults.pop() : undefined;
        if (next !== undefined) {
          await fault;
          ledger.faultInjected();
          fault = next();
        }
        const entries = Array.from({ length: batchSize }, () => {
          const key = `key-${Math.floor(random() * keys)}`;
          return { key, seq: ledger.publish(key) };
        });
        await publishAll(out, queue, entries);
      }
      await fault;
      await eventually(
        () => `all to be done; ${JSON.stringify(ledger.report())}`,
        () => ledger.complete,
        60_000,
      );
      const { complete } = await consumer.drain();
      const { lost, violations, overlaps } = ledger.report();
      const { channel } = await raw(broker.directUrl);
      await eventually("the consumer to be gone", async () => {
        return (await channel.checkQueue(queue)).consumerCount === 0;
      });
      const left = await ready(channel, queue);
      expect(
        { lost, violations, overlaps, complete, left },
        `${ledger.findings.join("; ")}; seed ${seed}`,
      ).toEqual({ lost: 0, violations: 0, overlaps: 0, complete: true, left: 0 });
    },
  );
});

/** Publishes again what was not confirmed, in order. */
async function publishAll(out: Publisher, queue: string, entries: readonly Entry[]): Promise<void> {
  let left: OutgoingMessage[] = entries.map((entry) => ({
    key: entry.key,
    body: Buffer.from(JSON.stringify(entry)),
  }));
  const deadline = performance.now() + 60_000;
  while (left.length > 0) {
    try {
      await out.publish(queue, left);
      return;
    } catch (error) {
      if (!(error instanceof PublishError) || performance.now() > deadline) throw error;
      const sent = left;
      left = error.failures.map(({ index }) => sent[index] as OutgoingMessage);
      await sleep(20);
    }
  }
}

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
function numbers(from: number): () => number {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
