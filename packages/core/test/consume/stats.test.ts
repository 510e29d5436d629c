import { describe, expect, it } from "vitest";
import { World } from "../support/world.ts";

describe("stats", () => {
  it("count what happened", async () => {
    const plan = [
      { key: "a", ms: 10 },
      { key: "a", ms: 10, failures: 1 },
      { key: "b", failures: 3 },
      { key: undefined, ms: 20 },
    ];
    const world = new World(plan, { lanes: 2, window: 8 });
    const stats = await world.run();
    expect(stats).toMatchObject({
      connection: "closed",
      received: 4,
      handled: 3,
      failed: 4,
      retried: 3,
      deadLettered: 1,
      rejected: 0,
      halted: 0,
      staleSettles: 0,
      dropped: 0,
      settleFailures: 0,
      unsettled: 0,
      maxUnsettled: 4,
      window: 8,
    });
  });

  it("show which lanes are busy, and for how long they were", async () => {
    const world = new World(
      [
        { key: "a", ms: 10 },
        { key: "b", ms: 30 },
      ],
      { lanes: 3 },
    );
    await world.publish();
    const consumer = await world.consume();
    await world.clock.sleep(20);
    expect(consumer.stats().lanes).toEqual([
      { busy: false, busyMs: 10 },
      { busy: true, busyMs: 20 },
      { busy: false, busyMs: 0 },
    ]);
    await world.clock.sleep(100);
    expect(consumer.stats().lanes.map(({ busyMs }) => busyMs)).toEqual([10, 30, 0]);
    await consumer.drain();
  });

  it("give each lane its number in the handler's context, hashed too", async () => {
    for (const dispatch of ["keyed", "hashed"] as const) {
      const plan = Array.from({ length: 50 }, (_, index) => ({ key: String(index), ms: 5 }));
      const lanes = new Set<number>();
      const world = new World(plan, {
        dispatch,
        lanes: 4,
        first: (_, { lane }) => {
          lanes.add(lane);
        },
      });
      const stats = await world.run();
      expect([...lanes].toSorted()).toEqual([0, 1, 2, 3]);
      const total = stats.lanes.reduce((sum, { busyMs }) => sum + busyMs, 0);
      expect(total).toBe(250);
    }
  });

  it("follow the connection", async () => {
    const world = new World([]);
    const consumer = await world.consume();
    expect(consumer.stats().connection).toBe("connected");
    world.broker.stop();
    expect(consumer.stats().connection).toBe("reconnecting");
    world.broker.start();
    await world.clock.sleep(20);
    expect(consumer.stats().connection).toBe("connected");
    await consumer.drain();
    expect(consumer.stats().connection).toBe("closed");
  });

  it("measure the event loop's delay", async () => {
    const world = new World([]);
    const consumer = await world.consume();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const until = performance.now() + 100;
    while (performance.now() < until); // Blocks it.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const { eventLoopDelayMs } = consumer.stats();
    expect(eventLoopDelayMs.max).toBeGreaterThan(50);
    expect(eventLoopDelayMs.p99).toBeLessThanOrEqual(eventLoopDelayMs.max);
    await consumer.stop();
  });
});
