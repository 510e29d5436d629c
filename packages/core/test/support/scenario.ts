import fc from "fast-check";
import { expect } from "vitest";
import type { ConsumerStats, Dispatch } from "../../src/index.ts";
import type { Trace } from "./trace.ts";
import { type Planned, type Settings, World } from "./world.ts";

/** One random run: messages, a consumer for them, and what happens to its connection. */
export interface Scenario {
  readonly plan: readonly Planned[];
  readonly dispatch: Dispatch;
  readonly lanes: number;
  readonly window: number;
  /** Times at which every connection is cut, in ms. */
  readonly cuts: readonly number[];
  /** The first publish of these dead letters is refused. */
  readonly refused: ReadonlySet<number>;
}

/** Attempts that `World` makes; a message with as many failures becomes a dead letter. */
export const attempts = 3;

const planned: fc.Arbitrary<Planned> = fc.record({
  key: fc.option(fc.constantFrom("a", "b", "c", "d", "e", "ü✓", ""), { nil: undefined, freq: 5 }),
  ms: fc.option(fc.integer({ min: 0, max: 50 }), { nil: undefined, freq: 4 }),
  failures: fc.constantFrom(0, 0, 0, 0, 0, 1, 2, attempts),
});

export const scenarios: fc.Arbitrary<Scenario> = fc
  .record({
    plan: fc.array(planned, { minLength: 1, maxLength: 60 }),
    dispatch: fc.constantFrom<Dispatch>("keyed", "keyed", "hashed", "inline"),
    lanes: fc.integer({ min: 1, max: 8 }),
    window: fc.integer({ min: 1, max: 24 }),
    cuts: fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 3 }),
    refused: fc.uniqueArray(fc.nat(59), { maxLength: 5 }),
  })
  .map(({ refused, ...scenario }) => ({
    ...scenario,
    lanes: scenario.dispatch === "inline" ? 1 : scenario.lanes,
    refused: new Set(refused),
  }));

export function worldOf(scenario: Scenario, settings: Settings = {}): World {
  const { plan, dispatch, lanes, window } = scenario;
  const world = new World(plan, { dispatch, lanes, window, ...settings });
  for (const at of scenario.cuts) world.clock.setTimeout(() => world.broker.cut(), at);
  const refused = new Set(scenario.refused);
  world.beforeDeadLetter = async (number) => {
    await world.clock.sleep(5);
    if (refused.delete(number)) throw new Error("a planned refusal");
  };
  return world;
}

export interface Ran {
  readonly world: World;
  readonly trace: Trace;
  readonly stats: ConsumerStats;
}

/** Runs a scenario to its end. The trace has found whatever was wrong on the way. */
export async function runScenario(scenario: Scenario, settings: Settings = {}): Promise<Ran> {
  const world = worldOf(scenario, settings);
  const stats = await world.run();
  return { world, trace: world.trace, stats };
}

/** Every message was handled, or confirmed as a dead letter if it never can be; the queue is empty. */
export function expectNothingLost({ plan }: Scenario, { trace, world }: Ran): void {
  const all = plan.map((_, number) => number);
  expect(all.filter((number) => !trace.done.has(number))).toEqual([]);
  const hopeless = all.filter((number) => (plan[number]?.failures ?? 0) >= attempts);
  expect([...new Set(trace.deadLettered)].toSorted((a, b) => a - b)).toEqual(hopeless);
  expect(world.broker.depth("q")).toMatchObject({ ready: 0, unsettled: 0 });
}
