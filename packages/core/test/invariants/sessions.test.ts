import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectNothingLost, runScenario, scenarios } from "../support/scenario.ts";
import { World } from "../support/world.ts";

const cutScenarios = fc
  .tuple(scenarios, fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 6 }))
  .map(([scenario, cuts]) => ({ ...scenario, cuts }));

describe("4. After a reconnect nothing of the old session is begun, settled or overtaken", () => {
  // Break it: src/engine/engine.ts: `if (job.delivery.session !== session) return false;` -> `return false;`
  // Break it: src/engine/scheduler.ts: `if (queue.current !== null && drop(queue.current, "current")) queue.current = null;` -> `if (queue.current !== null) drop(queue.current, "current"); queue.current = null;`
  it("holds for random cuts, and every delivery is accounted for", async () => {
    await fc.assert(
      fc.asyncProperty(cutScenarios, async (scenario) => {
        const ran = await runScenario(scenario);
        const { trace, stats } = ran;
        expect(trace.violations).toEqual([]);
        expectNothingLost(scenario, ran);
        const { received, handled, deadLettered, staleSettles, dropped } = stats;
        expect(received).toBe(trace.taken.size);
        expect(received).toBe(handled + deadLettered + staleSettles + dropped);
      }),
      { numRuns: 500 },
    );
  });

  // Break it: src/engine/in-hand.ts: `this.counters.staleSettles++;` -> ``
  it("queues a redelivery behind the handler that still runs, and drops what was queued", async () => {
    const world = new World([
      { key: "a", ms: 100 },
      { key: "a", ms: 5 },
      { key: "b", ms: 30 },
    ]);
    world.clock.setTimeout(() => world.broker.cut(), 20);
    const stats = await world.run();
    expect(world.trace.violations).toEqual([]);
    const attempts = world.trace.attempts.map(({ number, start, end }) => [number, start, end]);
    expect(attempts).toEqual([
      [0, 0, 100],
      [2, 0, 30],
      [2, 30, 60], // Redelivered at 30, as the handler of the first arrival ends.
      [0, 100, 200],
      [1, 200, 205],
    ]);
    expect(stats).toMatchObject({ received: 6, handled: 3, staleSettles: 2, dropped: 1 });
  });

  it("tells the handler by its signal, with the reason", async () => {
    let signal: AbortSignal | undefined;
    const world = new World([{ key: "a", ms: 100 }], {
      first: (_, context) => {
        signal ??= context.signal;
      },
    });
    world.clock.setTimeout(() => {
      expect(signal?.aborted).toBe(false);
      world.broker.cut();
      expect(signal?.aborted).toBe(true);
    }, 20);
    await world.run();
    expect(signal?.reason).toMatchObject({ code: "SESSION_ENDED" });
  });
});
