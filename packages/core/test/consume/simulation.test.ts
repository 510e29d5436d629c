import { describe, expect, it } from "vitest";
import { type Drain, hashedModel, keyedModel, simulate } from "../support/simulation.ts";
import { World } from "../support/world.ts";

/** Numbers in 0 … 1, the same for the same seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Keys = (next: () => number, index: number) => number;
const distributions: Record<string, Keys> = {
  "100 keys in turn": (_, index) => index % 100,
  "100 random keys": (next) => Math.floor(next() * 100),
  "few keys carry most": (next) => Math.floor(100 * next() ** 4),
  "10 of a key in a row": (_, index) => Math.floor(index / 10),
};

/** The published workload, smaller: handlers of 250 to 1000 ms. */
function drainOf(seed: number, keys: Keys, lanes: number, messages = 300, window = 255): Drain {
  const next = random(seed);
  const indices = Array.from({ length: messages }, (_, index) => index);
  return {
    keys: indices.map((index) => `order-${keys(next, index)}`),
    ms: indices.map(() => 250 + 750 * next()),
    lanes,
    window,
  };
}

async function startsOf(drain: Drain, dispatch: "keyed" | "hashed" | "inline"): Promise<number[]> {
  const { keys, ms, lanes, window } = drain;
  const plan = keys.map((key, index) => ({ key, ms: ms[index] }));
  const world = new World(plan, { dispatch, lanes, window });
  await world.run();
  const starts = new Array<number>(keys.length).fill(Number.NaN);
  for (const { number, start } of world.trace.attempts) starts[number] = start;
  return starts;
}

const seeds = Array.from({ length: 5 }, (_, index) => index + 1);

describe("a drain on virtual time starts each message when the simulation does, to the last bit", () => {
  for (const [name, keys] of Object.entries(distributions)) {
    // Break it: src/engine/ready-set.ts: `if (top !== undefined && arrivalOf(top) < arrivalOf(first)) return this.#takeTop();` -> ``
    // Break it: src/engine/ready-set.ts: `} else if (top === undefined || arrival < arrivalOf(top)) {` -> `} else {`
    it.each([1, 2, 4, 8, 32, 62])(`keyed, ${name}, %i lanes`, async (lanes) => {
      for (const seed of seeds) {
        const drain = drainOf(seed, keys, lanes);
        expect(await startsOf(drain, "keyed")).toEqual(simulate(drain, keyedModel(drain)));
      }
    });

    // Break it: src/engine/dispatcher.ts: `(key === undefined ? arrival : hashKey(key)) % lanes` -> `arrival % lanes`
    it.each([1, 2, 8, 32])(`hashed, ${name}, %i lanes`, async (lanes) => {
      for (const seed of seeds) {
        const drain = drainOf(seed, keys, lanes);
        expect(await startsOf(drain, "hashed")).toEqual(simulate(drain, hashedModel(drain)));
      }
    });
  }

  it.each([1, 8, 33, 64])("keyed, a window of %i", async (window) => {
    for (const seed of seeds) {
      const drain = drainOf(seed, distributions["100 random keys"] as Keys, 8, 300, window);
      expect(await startsOf(drain, "keyed")).toEqual(simulate(drain, keyedModel(drain)));
    }
  });

  it("inline: one after the other", async () => {
    const drain = drainOf(1, distributions["100 keys in turn"] as Keys, 1);
    let now = 0;
    const expected = drain.ms.map((ms) => {
      const start = now;
      now += ms;
      return start;
    });
    expect(await startsOf(drain, "inline")).toEqual(expected);
  });

  it("reaches the bound of the published workload: 32 keyed lanes are over 30 times inline", async () => {
    const drain = drainOf(1, distributions["100 keys in turn"] as Keys, 32, 1000);
    const starts = await startsOf(drain, "keyed");
    const end = Math.max(...starts.map((start, index) => start + (drain.ms[index] as number)));
    const inline = drain.ms.reduce((sum, ms) => sum + ms, 0);
    expect(inline / end).toBeGreaterThan(30);
  });
});
