import { describe, expect, it } from "vitest";
import { World } from "../support/world.ts";

const plan = [{ key: "a", ms: 50 }, { key: "a" }, { key: "b", ms: 5, failures: 1 }];

async function started(
  signal?: AbortSignal,
): Promise<[World, Awaited<ReturnType<World["consume"]>>]> {
  const world = new World(plan, signal && { signal });
  await world.publish();
  const consumer = await world.consume();
  await world.clock.sleep(6);
  return [world, consumer];
}

describe("stop", () => {
  it("takes no time: handlers see the signal abort, all that is unsettled goes back", async () => {
    const aborted: unknown[] = [];
    const world = new World(plan, {
      first: (_, { signal }) => signal.addEventListener("abort", () => aborted.push(signal.reason)),
    });
    await world.publish();
    const consumer = await world.consume();
    await world.clock.sleep(1);
    expect(await consumer.stop()).toEqual({ complete: false, left: 3 });
    expect(world.clock.now()).toBe(1);
    expect(aborted).toMatchObject([{ code: "SESSION_ENDED" }, { code: "SESSION_ENDED" }]);
    await consumer.closed;
    expect(world.broker.depth("q")).toMatchObject({ ready: 3, unsettled: 0 });
    await world.clock.quiet();
    expect(world.trace.attempts).toHaveLength(2);
    expect(consumer.stats()).toMatchObject({ handled: 0, staleSettles: 2, unsettled: 0 });
  });

  it("leaves no timer of a retry behind", async () => {
    const [world, consumer] = await started(); // "b" waits until 15.
    await consumer.stop();
    await world.clock.quiet();
    expect(world.clock.now()).toBe(50); // The handler of "a", which does not heed its signal.
    expect(world.trace.attempts).toHaveLength(2);
  });

  it("joins, as drain does", async () => {
    const [, consumer] = await started();
    const results = await Promise.all([consumer.stop(), consumer.stop(), consumer.drain()]);
    expect(results).toEqual([0, 1, 2].map(() => ({ complete: false, left: 3 })));
    expect(await consumer.stop()).toEqual(results[0]);
  });

  it("cuts a drain short", async () => {
    const [world, consumer] = await started();
    const drained = consumer.drain({ timeout: 1_000 });
    await world.clock.sleep(1);
    expect(await consumer.stop()).toEqual({ complete: false, left: 3 });
    expect(await drained).toEqual({ complete: false, left: 3 });
    expect(world.clock.now()).toBe(7);
  });
});

describe("await using", () => {
  it("drains", async () => {
    const world = new World(plan);
    await world.publish();
    {
      await using consumer = await world.consume();
      await world.clock.sleep(1);
      expect(consumer.stats().received).toBe(3);
    }
    expect(world.clock.now()).toBe(50);
    expect(world.broker.depth("q")).toMatchObject({ ready: 0, unsettled: 0 });
  });
});

describe("the consumer's signal", () => {
  it("aborted before: rejects with its reason and opens nothing", async () => {
    const world = new World(plan, { signal: AbortSignal.abort(new Error("before")) });
    await world.publish();
    await expect(world.consume()).rejects.toThrow("before");
    expect(world.broker.depth("q")).toEqual({ ready: 3, unsettled: 0, delivered: 0 });
  });

  it("aborted while it opens: the same", async () => {
    const controller = new AbortController();
    const world = new World(plan, { signal: controller.signal });
    await world.publish();
    const consuming = world.consume();
    controller.abort(new Error("during"));
    await expect(consuming).rejects.toThrow("during");
    await world.clock.quiet();
    expect(world.broker.depth("q")).toEqual({ ready: 3, unsettled: 0, delivered: 0 });
  });

  it("aborted while it runs: stops", async () => {
    const controller = new AbortController();
    const [world, consumer] = await started(controller.signal);
    controller.abort(new Error("enough"));
    await consumer.closed;
    expect(world.clock.now()).toBe(6);
    expect(world.broker.depth("q")).toMatchObject({ ready: 3, unsettled: 0 });
  });

  it("aborted after the end: nothing happens", async () => {
    const controller = new AbortController();
    const [, consumer] = await started(controller.signal);
    const drained = await consumer.drain();
    controller.abort();
    expect(await consumer.stop()).toBe(drained);
    await consumer.closed;
  });

  it("aborted by a handler: stops", async () => {
    const controller = new AbortController();
    const world = new World(plan, { signal: controller.signal, first: () => controller.abort() });
    await world.publish();
    const consumer = await world.consume();
    await consumer.closed;
    expect(world.broker.depth("q")).toMatchObject({ ready: 3, unsettled: 0 });
  });
});
