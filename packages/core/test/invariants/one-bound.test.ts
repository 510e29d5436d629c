import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Dispatch } from "../../src/index.ts";
import { World } from "../support/world.ts";

const never = 1e9;

describe("9. One bound for everything, the window, and none per lane", () => {
  // Break it: src/consumer.ts: `{ window, signal }, this.#engine` -> `{ window: Math.ceil(window / this.#settings.lanes), signal }, this.#engine`
  it("takes the whole window, however the keys fall on the lanes", async () => {
    const dispatches = fc.constantFrom<Dispatch>("keyed", "hashed");
    const lanes = fc.integer({ min: 1, max: 16 });
    const window = fc.integer({ min: 2, max: 64 });
    const keys = fc.array(fc.nat(3), { minLength: 65, maxLength: 100 });
    await fc.assert(
      fc.asyncProperty(dispatches, lanes, window, keys, async (dispatch, lanes, window, keys) => {
        const plan = keys.map((key) => ({ key: String(key), ms: never }));
        const world = new World(plan, { dispatch, lanes, window });
        await world.publish();
        const consumer = await world.consume();
        await world.clock.sleep(1);
        expect(world.trace.unsettled()).toHaveLength(window);
        await consumer.stop();
      }),
      { numRuns: 100 },
    );
  });

  it.each<Dispatch>(["keyed", "hashed"])(
    "goes on with other lanes while one holds all but one of the window: %s",
    async (dispatch) => {
      const stuck = Array.from({ length: 15 }, () => ({ key: "stuck", ms: 1_000 }));
      const other = Array.from({ length: 100 }, () => ({ key: "other", ms: 1 }));
      const world = new World([...stuck, ...other], { dispatch, lanes: 8, window: 16 });
      await world.publish();
      const consumer = await world.consume();
      await world.clock.sleep(100.5);
      expect(consumer.stats().handled).toBe(100);
      await consumer.stop();
    },
  );
});
