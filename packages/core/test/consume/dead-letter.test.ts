import { describe, expect, it } from "vitest";
import type { Publisher } from "../../src/index.ts";
import { World } from "../support/world.ts";

describe("a message whose attempts are used up, with `deadLetter`", () => {
  it("is published with why, attempts and origin", async () => {
    const world = new World([{ key: "ü", failures: 3 }]);
    const before = new Date();
    await world.run();
    const [letter, ...more] = await world.deadLetters();
    expect(more).toEqual([]);
    expect(letter).toMatchObject({
      source: "q",
      destination: "q",
      reason: "HANDLER_FAILED",
      attempts: 3,
      error: "a planned failure",
      key: "ü",
      headers: {},
    });
    expect(Buffer.from(letter?.body ?? []).toString()).toBe("0");
    expect(letter?.time.getTime()).toBeGreaterThanOrEqual(before.getTime());
  });

  it("is settled only once the publish is confirmed; until then its key waits and others go on", async () => {
    const plan = [
      { key: "a", failures: 3 },
      { key: "a" },
      { key: "b", ms: 5 },
      { key: "b", ms: 5 },
    ];
    const world = new World(plan);
    world.beforeDeadLetter = () => world.clock.sleep(100); // Published at 30, confirmed at 130.
    await world.publish();
    const consumer = await world.consume();
    await world.clock.sleep(129);
    expect(consumer.stats()).toMatchObject({ handled: 2, deadLettered: 0, unsettled: 2 });
    await world.clock.sleep(2);
    expect(consumer.stats()).toMatchObject({ handled: 3, deadLettered: 1, unsettled: 0 });
    expect(world.trace.attempts.at(-1)).toMatchObject({ number: 1, start: 130 });
    expect(world.trace.violations).toEqual([]);
    await consumer.drain();
  });

  it("is published again with the back-off of the retries when that fails", async () => {
    const world = new World([{ key: "a", failures: 3 }]);
    const tried: number[] = [];
    world.beforeDeadLetter = async () => {
      tried.push(world.clock.now());
      if (tried.length < 3) throw new Error("refused");
    };
    const stats = await world.run();
    expect(tried).toEqual([30, 40, 60]);
    expect(stats).toMatchObject({ deadLettered: 1, unsettled: 0 });
    expect(await world.deadLetters()).toHaveLength(1);
  });

  it("ends the consumer, and stays with the broker, when it cannot be published", async () => {
    const world = new World([{ key: "a", failures: 3 }, { key: "a" }]);
    world.beforeDeadLetter = async () => {
      throw new Error("refused");
    };
    await world.publish();
    const consumer = await world.consume();
    await expect(consumer.closed).rejects.toMatchObject({
      code: "DEAD_LETTER_FAILED",
      message: expect.stringContaining("refused"),
    });
    expect(world.broker.depth("q")).toMatchObject({ ready: 2, unsettled: 0 });
    expect(consumer.stats()).toMatchObject({ deadLettered: 0, handled: 0 });
  });

  it("goes where a function says", async () => {
    const world: World = new World([{ key: "a", failures: 3 }], {
      deadLetter: { publisher: elsewhere(), destination: ({ key }) => (key === "a" ? "dead" : "") },
    });
    const stats = await world.run();
    expect(stats).toMatchObject({ deadLettered: 1, unsettled: 0 });
  });

  it("takes a throw of that function for a publish that failed", async () => {
    const destination = (): never => {
      throw new Error("no idea where");
    };
    const world = new World([{ key: "a", failures: 3 }], {
      deadLetter: { publisher: elsewhere(), destination },
    });
    await world.publish();
    const consumer = await world.consume();
    await expect(consumer.closed).rejects.toMatchObject({
      code: "DEAD_LETTER_FAILED",
      message: expect.stringContaining("no idea where"),
    });
    expect(world.broker.depth("q").ready).toBe(1);
  });
});

/** A publisher of another broker, with the queue `dead`. */
function elsewhere(): Publisher {
  return new World([]).broker.publisher();
}
