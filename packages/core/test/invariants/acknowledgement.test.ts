import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectNothingLost, runScenario, scenarios, worldOf } from "../support/scenario.ts";

describe("3. Acknowledged only after the work is done: nothing is lost", () => {
  // Break it: src/engine/engine.ts: `start: (job, lane) => attempts.start(job, lane),` -> `start: (job, lane) => (hand.settle(job, "ack"), attempts.start(job, lane)),`
  // Break it: src/engine/dead-letters.ts: `await publisher.publish(to, [letter]);` -> `void publisher.publish(to, [letter]).catch(() => {});`
  it("acknowledges after success or the confirmed dead letter, through cuts too", async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async (scenario) => {
        const ran = await runScenario(scenario);
        expect(ran.trace.violations).toEqual([]);
        expectNothingLost(scenario, ran);
      }),
      { numRuns: 500 },
    );
  });

  it("loses nothing when a consumer dies at any moment and another takes over", async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, fc.integer({ min: 0, max: 300 }), async (scenario, deathAt) => {
        const world = worldOf(scenario);
        await world.publish();
        const first = await world.consume();
        await world.clock.sleep(deathAt);
        world.broker.cut();
        await first.stop();
        const second = await world.consume();
        await world.clock.quiet();
        await second.drain();
        expectNothingLost(scenario, { world, trace: world.trace, stats: second.stats() });
      }),
      { numRuns: 300 },
    );
  });
});
