import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Delivery } from "../../src/index.ts";
import { runScenario, scenarios } from "../support/scenario.ts";
import { numberOf, World } from "../support/world.ts";

describe("7. A failure to settle is not a failure of the handler", () => {
  // Break it: src/engine/in-hand.ts: `this.counters.settleFailures++;` -> `throw thrown;`
  // Break it: src/engine/engine.ts: `const counts = hand.settle(job, "ack");` -> `const before = hand.counters.settleFailures; const counts = hand.settle(job, "ack"); if (hand.counters.settleFailures > before) { void attempts.start(job, 0); }`
  it("does not run the handler again, and goes on with the next", async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, fc.array(fc.nat(59)), async (random, failing) => {
        // No cuts: the broker would deliver again what was not settled.
        const scenario = { ...random, cuts: [], window: 64 };
        const failed = new Set<Delivery>();
        const { trace, stats, world } = await runScenario(scenario, {
          watch: {
            settling(delivery) {
              if (!failing.includes(numberOf(delivery.message))) return;
              failed.add(delivery);
              throw new Error("the adapter cannot settle");
            },
          },
        });
        expect(stats.settleFailures).toBe(failed.size);
        expect(stats.maxUnsettled).toBe(trace.unsettledMost);
        for (const [number, { failures = 0 }] of scenario.plan.entries()) {
          const runs = trace.attempts.filter((attempt) => attempt.number === number);
          expect(runs).toHaveLength(Math.min(failures + 1, 3));
        }
        expect(world.broker.depth("q")).toMatchObject({ ready: failed.size, unsettled: 0 });
      }),
      { numRuns: 300 },
    );
  });

  it("leaves the message unsettled, in the window and at the end of a drain, until its session ends", async () => {
    const world = new World([{ key: "a" }, { key: "a" }], {
      watch: {
        settling(delivery) {
          if (!delivery.redelivered) throw new Error("the adapter cannot settle");
        },
      },
    });
    await world.publish();
    const consumer = await world.consume();
    await world.clock.sleep(1);
    expect(consumer.stats()).toMatchObject({ settleFailures: 2, handled: 0, unsettled: 2 });
    world.broker.cut();
    expect(consumer.stats().unsettled).toBe(0);
    await world.clock.sleep(20);
    expect(consumer.stats()).toMatchObject({ handled: 2, unsettled: 0 });
    await world.publish();
    await world.clock.sleep(1);
    expect(await consumer.drain()).toEqual({ complete: false, left: 2 });
    expect(consumer.stats().unsettled).toBe(0);
  });
});
