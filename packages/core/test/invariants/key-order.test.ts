import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runScenario, scenarios } from "../support/scenario.ts";

describe("2. One message of a key at a time, and the next only when the one before it is settled", () => {
  // Break it: src/engine/scheduler.ts: `key === undefined ? null : this.#table.find(key, hash)` -> `null`
  // Break it: src/engine/scheduler.ts: `this.#work.failed(job, thrown) ? "freed" : "held"` -> `this.#work.failed(job, thrown) ? "freed" : "freed"`
  // Break it: src/engine/scheduler.ts: `this.#advance(slot, queue);` -> `this.#advance(slot, null);`
  it("holds for random keys, times, failures, dead letters and cuts, in all three dispatches", async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async (scenario) => {
        const { trace } = await runScenario(scenario);
        expect(trace.violations).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it("holds with one key only, whatever the lanes", async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async (scenario) => {
        const plan = scenario.plan.map((planned) => ({ ...planned, key: "only" }));
        const { trace } = await runScenario({ ...scenario, plan });
        expect(trace.violations).toEqual([]);
        expect([...trace.done]).toEqual(plan.map((_, number) => number));
      }),
      { numRuns: 200 },
    );
  });
});
