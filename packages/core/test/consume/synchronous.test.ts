import { describe, expect, it } from "vitest";
import type { Dispatch } from "../../src/index.ts";
import { World } from "../support/world.ts";

const count = 5_000;

describe.each<Dispatch>(["keyed", "hashed", "inline"])("synchronous handlers, %s", (dispatch) => {
  it("need no stack for what has queued up behind an asynchronous one", async () => {
    const plan = Array.from({ length: count }, (_, index) => ({
      key: index === 0 || index % 2 === 0 ? "a" : undefined,
      ms: index === 0 ? 10 : undefined,
    }));
    let handled = 0;
    const world: World = new World(plan, {
      dispatch,
      lanes: 1,
      window: count,
      handler: (value) => {
        handled++;
        return value === 0 ? world.clock.sleep(10) : undefined;
      },
    });
    await world.run();
    expect(handled).toBe(count);
  });

  it("keep the order of arrival with one lane", async () => {
    const plan = Array.from({ length: 50 }, (_, index) => ({ key: String(index % 7) }));
    const world = new World(plan, { dispatch, lanes: 1 });
    await world.run();
    expect(world.trace.attempts.map(({ number }) => number)).toEqual(plan.map((_, index) => index));
  });
});
