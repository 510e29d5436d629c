import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scenarios, worldOf } from "../support/scenario.ts";
import { World } from "../support/world.ts";

describe("8. Drain takes nothing new, finishes what is in hand in the time given, leaves the rest", () => {
  // Break it: src/consumer.ts: `await this.#closing(() => subscription?.stop());` -> ``
  // Break it: src/consumer.ts: `const timer = clock.setTimeout(this.#resolveIdle, timeout);` -> `const timer = clock.setTimeout(() => {}, timeout);`
  // Break it: src/consumer.ts: `const { left } = engine;` -> `const left = 0;`
  // Break it: src/consumer.ts: `await this.#closing(() => subscription?.close());` -> ``
  it("at any moment, for any time", async () => {
    const moment = fc.integer({ min: 0, max: 200 });
    await fc.assert(
      fc.asyncProperty(scenarios, moment, moment, async (random, at, timeout) => {
        const scenario = { ...random, cuts: random.cuts.filter((cut) => cut < at) };
        const world = worldOf(scenario);
        const { trace, clock, broker } = world;
        await world.publish();
        const consumer = await world.consume();
        await clock.sleep(at);

        const taken = trace.taken.size;
        const inHand = trace.unsettled();
        const { complete, left } = await consumer.drain({ timeout });
        const took = clock.now() - at;
        expect(took).toBeLessThanOrEqual(timeout);
        expect(trace.taken.size).toBe(taken);
        expect(complete).toBe(left === 0);
        if (left > 0) expect(took).toBe(timeout); // It gives up no earlier.
        const unsettled = inHand.filter(({ settled }) => settled?.result !== "settled");
        expect(left).toBe(unsettled.length);
        const acknowledged = [...trace.taken.values()].filter(
          ({ settled }) => settled?.result === "settled",
        ).length;
        expect(broker.depth("q")).toMatchObject({
          ready: scenario.plan.length - acknowledged,
          unsettled: 0,
        });
        await consumer.closed;
        expect(consumer.stats().unsettled).toBe(0);

        const attempts = trace.attempts.length;
        await clock.quiet();
        expect(trace.attempts).toHaveLength(attempts);
        expect(trace.violations).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it("is over as soon as the work in hand is, retries and dead letters included", async () => {
    const plan = [
      { key: "a", ms: 5, failures: 3 }, // 5 + 10 + 5 + 20 + 5
      { key: "b", ms: 30 },
      { key: "b", ms: 30 },
    ];
    const world = new World(plan);
    await world.publish();
    const consumer = await world.consume();
    await world.clock.sleep(1);
    expect(await consumer.drain()).toEqual({ complete: true, left: 0 });
    expect(world.clock.now()).toBe(60);
    expect(world.trace.deadLettered).toEqual([0]);
    expect(consumer.stats()).toMatchObject({ handled: 2, deadLettered: 1, connection: "closed" });
  });

  it("leaves to the broker what a lost connection took on the way", async () => {
    const world = new World([{ key: "a", ms: 20 }, { key: "a" }, { key: "b", ms: 5 }]);
    await world.publish();
    const consumer = await world.consume();
    await world.clock.sleep(1);
    world.clock.setTimeout(() => world.broker.cut(), 9);
    expect(await consumer.drain()).toEqual({ complete: false, left: 2 });
    expect(world.clock.now()).toBe(20); // The handler that runs is waited for.
    expect(world.broker.depth("q")).toMatchObject({ ready: 2, unsettled: 0 });
    expect(consumer.stats()).toMatchObject({ handled: 1, staleSettles: 1, dropped: 1 });
  });

  it("begins nothing more once the time is over", async () => {
    const world = new World([{ key: "a", ms: 50 }, { key: "a" }, { key: "b", ms: 5, failures: 2 }]);
    await world.publish();
    const consumer = await world.consume();
    await world.clock.sleep(1);
    expect(await consumer.drain({ timeout: 9 })).toEqual({ complete: false, left: 3 });
    expect(world.clock.now()).toBe(10);
    await world.clock.quiet();
    expect(world.trace.attempts.map(({ number }) => number)).toEqual([0, 2]);
    expect(consumer.stats()).toMatchObject({ handled: 0, staleSettles: 1 });
  });
});
