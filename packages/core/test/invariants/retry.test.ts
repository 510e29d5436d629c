import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Dispatch } from "../../src/index.ts";
import { scenarios, worldOf } from "../support/scenario.ts";
import { World } from "../support/world.ts";

describe("5. A retry holds its key and no lane; then the user's choice", () => {
  // Break it: src/engine/scheduler.ts: `this.#advance(slot, this.#failed(job, thrown) === "freed" ? queue : null);` -> `if (this.#failed(job, thrown) === "freed") this.#advance(slot, queue);`
  it.each<Dispatch>(["keyed", "hashed", "inline"])(
    "works on other keys in the only lane meanwhile: %s",
    async (dispatch) => {
      const plan = [
        { key: "a", ms: 2, failures: 1 },
        { key: "a", ms: 1 },
        ...Array.from({ length: 20 }, () => ({ key: "b", ms: 1 })),
      ];
      const world = new World(plan, { dispatch, lanes: 1 });
      await world.run();
      expect(world.trace.violations).toEqual([]);
      const started = world.trace.attempts.map(({ number, attempt, start }) => [
        start,
        number,
        attempt,
      ]);
      expect(started.slice(0, 13)).toEqual([
        [0, 0, 1], // Fails at 2; the second attempt is due at 12.
        ...Array.from({ length: 10 }, (_, index) => [2 + index, 2 + index, 1]),
        [12, 0, 2], // The oldest head of all, so it goes first.
        [14, 1, 1],
      ]);
      expect(world.trace.attempts).toHaveLength(23);
    },
  );

  // Break it: src/engine/scheduler.ts: `while (this.#free !== null && !this.#ready.empty)` -> `if (false as boolean)`
  it("never has a lane idle while a key could run (keyed)", async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async (random) => {
        const scenario = { ...random, dispatch: "keyed" as const };
        const world = worldOf(scenario);
        let idle = 0;
        world.clock.beforeStep = () => {
          const { trace } = world;
          if (trace.running.size < scenario.lanes && trace.ready().length > 0) idle++;
        };
        await world.run();
        expect(idle).toBe(0);
      }),
      { numRuns: 200 },
    );
  });
});
