import { expect, test } from "vitest";
import { type KeyDistribution, parseKeyDistribution } from "../../src/drain/key-distribution.ts";
import {
  createWorkload,
  decode,
  encode,
  fastestMs,
  keyOf,
  type Workload,
  type WorkloadOptions,
} from "../../src/drain/workload.ts";

const plain: WorkloadOptions = {
  messages: 1000,
  keys: 10,
  keyDistribution: { kind: "even" },
  handler: [250, 1000],
  scale: 0.02,
  seed: 1,
};

const keysOf = (keyDistribution: KeyDistribution, messages = 1000): number[] => [
  ...createWorkload({ ...plain, keyDistribution, messages }).key,
];

const counts = (keys: readonly number[]): number[] => {
  const found = new Array<number>(plain.keys).fill(0);
  for (const key of keys) found[key] = (found[key] ?? 0) + 1;
  return found;
};

test("the same seed makes the same workload, another seed another", () => {
  const options = { ...plain, keyDistribution: { kind: "uniform" } } as const;
  expect(createWorkload(options)).toEqual(createWorkload(options));
  expect(createWorkload(options).key).not.toEqual(createWorkload({ ...options, seed: 2 }).key);
});

test("handler times depend on the seed alone, not on how keys are spread", () => {
  const uniform = createWorkload({ ...plain, keyDistribution: { kind: "uniform" }, keys: 7 });
  expect(createWorkload(plain).handlerMs).toEqual(uniform.handlerMs);
});

test("handler times are whole ms in the scaled range, both ends reached, at least 1 ms", () => {
  const { handlerMs } = createWorkload(plain);
  expect(Math.min(...handlerMs)).toBe(5);
  expect(Math.max(...handlerMs)).toBe(20);
  const tiny = createWorkload({ ...plain, scale: 0.0001 });
  expect(new Set(tiny.handlerMs)).toEqual(new Set([1]));
});

test("even is round robin, clustered comes in runs", () => {
  expect(keysOf({ kind: "even" }, 12)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1]);
  expect(keysOf({ kind: "clustered", run: 3 }, 9)).toEqual([0, 0, 0, 1, 1, 1, 2, 2, 2]);
});

test("uniform gives every key about its share", () => {
  for (const count of counts(keysOf({ kind: "uniform" }, 10_000))) {
    expect(count).toBeGreaterThan(850);
    expect(count).toBeLessThan(1150);
  }
});

test("zipf gives the key of rank r about 1/r of the first key's share", () => {
  const found = counts(keysOf({ kind: "zipf", exponent: 1 }, 100_000));
  const first = found[0] ?? 0;
  found.forEach((count, rank) => {
    expect(Math.abs((count * (rank + 1)) / first - 1)).toBeLessThan(0.1);
  });
});

test("distributions are read from text", () => {
  expect(parseKeyDistribution("--key-dist", "zipf:1.5")).toEqual({ kind: "zipf", exponent: 1.5 });
  expect(parseKeyDistribution("--key-dist", "clustered:10")).toEqual({
    kind: "clustered",
    run: 10,
  });
});

test("messages carry their number, key and position within the key", () => {
  const workload = createWorkload({ ...plain, keyDistribution: { kind: "uniform" } });
  const next = new Array<number>(plain.keys).fill(0);
  for (let index = 0; index < workload.messages; index++) {
    const body = encode(workload, index);
    const message = { body, key: undefined, destination: "", headers: {} };
    const content = decode(message);
    expect(content.index).toBe(index);
    expect(content.sequence).toBe(next[content.key]);
    next[content.key] = content.sequence + 1;
    expect(keyOf(message)).toBe(`key-${content.key}`);
  }
});

test("the fastest time is the even share, or the longest key where that is more", () => {
  const workload: Workload = {
    messages: 4,
    keys: 2,
    key: Uint32Array.of(0, 0, 0, 1),
    sequence: Uint32Array.of(0, 1, 2, 0),
    handlerMs: Uint32Array.of(10, 20, 30, 40),
  };
  expect(fastestMs(workload, 1)).toBe(100);
  expect(fastestMs(workload, 2)).toBe(60);
});
