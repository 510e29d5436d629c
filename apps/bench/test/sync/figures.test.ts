import { expect, test } from "vitest";
import { type Change, now, timeOf } from "../../src/sync/change.ts";
import type { SyncReport, SyncRun } from "../../src/sync/report.ts";
import { Samples } from "../../src/sync/samples.ts";
import { sendChanges } from "../../src/sync/sender.ts";
import { targetsOf } from "../../src/sync/targets.ts";

test("samples are summed up exactly while there is room for all", () => {
  const samples = new Samples();
  for (const value of [2, 4, 4, 4, 5, 5, 7, 9]) samples.add(value);
  expect(samples.summary()).toEqual({
    avg: 5,
    p50: 4,
    p90: 9,
    p95: 9,
    p99: 9,
    p999: 9,
    max: 9,
    min: 2,
    stddev: 2,
    count: 8,
  });
});

test("with more samples than there is room for, only the percentiles are estimates", () => {
  const samples = new Samples(100);
  for (let i = 1; i <= 10_000; i++) samples.add(i);
  const { avg, min, max, count, p50 } = samples.summary();
  expect({ avg, min, max, count }).toEqual({ avg: 5000.5, min: 1, max: 10_000, count: 10_000 });
  expect(p50).toBeGreaterThan(1);
  expect(p50).toBeLessThan(10_000);
});

test("nothing sampled is all zeros", () => {
  expect(new Set(Object.values(new Samples().summary()))).toEqual(new Set([0]));
});

test.each([true, false])("changes come at the rate; batched: %s", async (batched) => {
  const sizes: number[] = [];
  const times: number[] = [];
  const topics: string[] = [];
  const from = now() + 20;
  const until = from + 200;
  const send = async (changes: readonly Change[]): Promise<void> => {
    sizes.push(changes.length);
    for (const { topic, body } of changes) {
      topics.push(topic);
      times.push(timeOf(body));
    }
  };
  const sent = await sendChanges({
    topics: ["a", "b", "c"],
    rate: 1_000,
    batched,
    from,
    until,
    send,
  });
  expect(sent).toBe(times.length);
  expect(sent).toBeGreaterThan(0);
  expect(sent).toBeLessThanOrEqual(200);
  expect(topics.slice(0, 4)).toEqual(["a", "b", "c", "a"].slice(0, topics.length));
  if (!batched) expect(Math.max(...sizes)).toBe(1);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times[0]).toBeGreaterThanOrEqual(from);
});

const run = (mode: "batched" | "single", figures: object): SyncRun =>
  ({
    broker: "lab-mqtt-broker",
    mode,
    side: "client",
    perSecond: 20_000,
    latencyMs: { p50: 1.5, p99: 8 },
    rssMB: 200,
    ...figures,
  }) as unknown as SyncRun;

const reached = (params: object, runs: readonly SyncRun[]): boolean[] =>
  targetsOf({
    params: { brokers: ["lab"], subscriptions: 40_000, rate: 20_000, ...params },
    runs,
  } as unknown as SyncReport).map((target) => target.reached);

test("the figures to reach at the published rate, for batches on our own broker", () => {
  expect(reached({}, [run("batched", {}), run("single", {})])).toEqual([true, true, true]);
  const worse = { perSecond: 19_799, latencyMs: { p50: 1.6, p99: 8 }, rssMB: 201 };
  expect(reached({}, [run("batched", worse)])).toEqual([false, false, false]);
  expect(reached({}, [run("batched", { broker: "aedes" })])).toEqual([]);
  expect(reached({ rate: 100 }, [run("batched", {})])).toEqual([]);
});

test("and as fast as it can", () => {
  const single = run("single", { perSecond: 20_000 });
  const max = { rate: 0 };
  expect(reached(max, [run("batched", { perSecond: 200_000 }), single])).toEqual([true, true]);
  expect(reached(max, [run("batched", { perSecond: 199_999 }), single])).toEqual([false, false]);
});
