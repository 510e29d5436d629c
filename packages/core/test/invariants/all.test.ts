import fc from "fast-check";
import { expect, it } from "vitest";
import { expectNothingLost, runScenario, scenarios } from "../support/scenario.ts";

it("probe", async () => {
  const t = performance.now(); let n = 0;
  await fc.assert(fc.asyncProperty(scenarios, async (s) => { n++;
    const w = await runScenario(s);
    expect(w.trace.violations).toEqual([]);
    expectNothingLost(s, w);
  }), { numRuns: 20000 });
  console.log(n, performance.now() - t);
});
