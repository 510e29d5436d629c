import { afterEach, describe, expect, it, vi } from "vitest";
import type { LabError, RetryOptions } from "../../src/index.ts";
import { World } from "../support/world.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** When the attempts of a message start that always fails at once. */
async function startsWith(retry: RetryOptions): Promise<number[]> {
  const world = new World([{ key: "a", failures: 100 }], { retry });
  await world.run();
  return world.trace.attempts.map(({ start }) => start);
}

describe("retry", () => {
  it("waits base × factor^n, at most cap", async () => {
    const retry = { attempts: 6, base: 100, factor: 3, cap: 1_000, jitter: 0 };
    expect(await startsWith(retry)).toEqual([0, 100, 400, 1_300, 2_300, 3_300]);
  });

  it("has defaults: 5 attempts, 100 ms doubled, up to half of it at random", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    expect(await startsWith({})).toEqual([0, 100, 300, 700, 1_500]);
    vi.spyOn(Math, "random").mockReturnValue(1);
    expect(await startsWith({})).toEqual([0, 50, 150, 350, 750]);
  });

  it("can wait no time at all", async () => {
    expect(await startsWith({ attempts: 3, base: 0, cap: 0 })).toEqual([0, 0, 0]);
    const world = new World([{ key: "a", failures: 1_200 }], {
      retry: { attempts: 1_100, base: 0 }, // So many that the factor overflows.
    });
    await world.run();
    expect(world.trace.attempts).toHaveLength(1_100);
    expect(world.clock.now()).toBe(0);
  });

  it("counts the wait from the end of the attempt", async () => {
    const world = new World([{ key: "a", ms: 7, failures: 2 }]);
    await world.run();
    expect(world.trace.attempts.map(({ start, end }) => [start, end])).toEqual([
      [0, 7],
      [17, 24],
      [44, 51],
    ]);
  });

  it("makes one attempt with `attempts: 1`", async () => {
    expect(await startsWith({ attempts: 1 })).toEqual([0]);
  });

  it("asks `retryable` with the error and the attempt, and stops at false", async () => {
    const asked: [string, unknown, number][] = [];
    const retryable = (error: Error, attempt: number): boolean => {
      asked.push([(error as LabError).code, (error.cause as Error).message, attempt]);
      return attempt < 2;
    };
    expect(await startsWith({ base: 10, jitter: 0, retryable })).toEqual([0, 10]);
    expect(asked).toEqual([
      ["HANDLER_FAILED", "a planned failure", 1],
      ["HANDLER_FAILED", "a planned failure", 2],
    ]);
  });

  it("can make undecodable messages worth another attempt", async () => {
    let decodes = 0;
    const world = new World([{ key: "a" }], {
      retry: { attempts: 3, base: 10, jitter: 0, retryable: () => true },
      deserialize: () => {
        if (++decodes < 3) throw new Error("the schema registry is away");
        return 0;
      },
    });
    const stats = await world.run();
    expect(stats).toMatchObject({ handled: 1, failed: 2, retried: 2, deadLettered: 0 });
  });

  it("ends the consumer, and loses nothing, where `retryable` throws", async () => {
    const world = new World([{ key: "a", failures: 1 }], {
      retry: {
        retryable: () => {
          throw new Error("a bug");
        },
      },
    });
    await world.publish();
    const consumer = await world.consume();
    await expect(consumer.closed).rejects.toMatchObject({
      code: "INVALID_OPTION",
      message: expect.stringContaining("a bug"),
    });
    expect(world.broker.depth("q")).toMatchObject({ ready: 1, unsettled: 0 });
    expect(world.trace.deadLettered).toEqual([]);
  });

  it("starts again at the first attempt when the broker delivers again", async () => {
    const world = new World([{ key: "a", failures: 2 }]); // Attempts at 0, 10 and 30.
    world.clock.setTimeout(() => world.broker.cut(), 15);
    await world.run();
    const attempts = world.trace.attempts.map(({ start, attempt }) => [start, attempt]);
    expect(attempts).toEqual([
      [0, 1],
      [10, 2],
      [25, 1],
      [35, 2],
      [55, 3],
    ]);
    expect(world.trace.violations).toEqual([]);
  });
});
