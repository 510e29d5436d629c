import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ConsumerStats, Dispatch, Message } from "../../src/index.ts";
import { numberOf, World } from "../support/world.ts";

type Fault = "undecodable" | "no key" | "throws" | "rejects";

const reasons = {
  undecodable: ["DECODE_FAILED", 1],
  "no key": ["KEY_SELECTOR_FAILED", 1],
  throws: ["HANDLER_FAILED", 3],
  rejects: ["HANDLER_FAILED", 3],
} as const;

const good = { key: "good", ms: 7 };

/** Three good messages of one key, and among them one bad message of a key of its own for each fault. */
async function run(bad: readonly Fault[], dispatch: Dispatch): Promise<[World, ConsumerStats]> {
  const plan = [good, ...bad.map((_, index) => ({ key: `bad ${index}` })), good, good];
  const fault = (message: Message): Fault | undefined => bad[numberOf(message) - 1];
  const fail = (): never => {
    throw new Error("a planned fault");
  };
  const world: World = new World(plan, {
    dispatch,
    key: (message) => (fault(message) === "no key" ? fail() : message.key),
    deserialize: (message) => (fault(message) === "undecodable" ? fail() : numberOf(message)),
    handler: (value, context) => {
      const how = fault(context.delivery.message);
      if (how === "rejects") return Promise.resolve().then(fail);
      return how === undefined ? world.handler(value, context) : fail();
    },
  });
  return [world, await world.run()];
}

describe("6. However a message fails, it goes the same way and delays no other key", () => {
  // Break it: src/engine/engine.ts: `job.keyError = keySelectorFailed(delivery.message, toError(thrown));` -> `throw thrown;`
  // Break it: src/engine/attempt.ts: `job.decoding = true;` -> ``
  // Break it: src/engine/attempt.ts: `if (job.keyError !== undefined) throw job.keyError;` -> ``
  // Break it: src/engine/scheduler.ts: `return this.#failed(job, thrown);` -> `return "held";`
  it("ends as a dead letter that says why, and the good messages start when they would alone", async () => {
    const bad = fc.array(fc.constantFrom<Fault>("undecodable", "no key", "throws", "rejects"), {
      maxLength: 12,
    });
    const dispatches = fc.constantFrom<Dispatch>("keyed", "hashed", "inline");
    await fc.assert(
      fc.asyncProperty(bad, dispatches, async (faults, dispatch) => {
        const [world, stats] = await run(faults, dispatch);
        expect(world.trace.attempts.map(({ start }) => start)).toEqual([0, 7, 14]);
        const letters = await world.deadLetters();
        const seen = letters.map(({ key, reason, attempts }) => [key, reason, attempts]);
        expect(seen.toSorted()).toEqual(
          faults.map((fault, index) => [`bad ${index}`, ...reasons[fault]]).toSorted(),
        );
        for (const { error } of letters) expect(error).toContain("a planned fault");
        expect(stats).toMatchObject({ handled: 3, deadLettered: faults.length, unsettled: 0 });
        expect(stats.failed).toBe(faults.reduce((sum, fault) => sum + reasons[fault][1], 0));
      }),
      { numRuns: 200 },
    );
  });

  it("also where the key selector returns what is no key", async () => {
    const key = (() => 7) as unknown as () => string;
    const world = new World([good], { key });
    await world.run();
    expect(await world.deadLetters()).toMatchObject([
      { reason: "KEY_SELECTOR_FAILED", error: expect.stringContaining("7 (number)") },
    ]);
  });

  it("also where something that is no Error is thrown", async () => {
    const handler = (): never => {
      throw "plain text";
    };
    const world = new World([good], { handler });
    await world.run();
    expect(await world.deadLetters()).toMatchObject([
      { reason: "HANDLER_FAILED", error: "plain text", attempts: 3 },
    ]);
  });
});
