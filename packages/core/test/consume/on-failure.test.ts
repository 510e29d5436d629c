import { describe, expect, it } from "vitest";
import { consume } from "../../src/index.ts";
import { MemoryBroker } from "../../src/memory/index.ts";
import { publishTexts } from "../support/memory.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { World } from "../support/world.ts";

const retry = { attempts: 2, base: 10, jitter: 0 };

describe("onFailure: reject", () => {
  it("leaves it to the broker's own dead-letter queue", async () => {
    const broker = new MemoryBroker();
    broker.createQueue("dead");
    broker.createQueue("q", { deadLetterQueue: "dead" });
    await publishTexts(broker, ["bad"]);
    const clock = new VirtualClock();
    const consumer = await consume({
      subscriber: broker.subscriber(),
      source: "q",
      handler: () => Promise.reject(new Error("bad")),
      retry,
      onFailure: "reject",
      clock,
    });
    await clock.sleep(100);
    expect(consumer.stats()).toMatchObject({ rejected: 1, failed: 2, handled: 0, unsettled: 0 });
    expect(broker.depth("q")).toMatchObject({ ready: 0, unsettled: 0 });
    expect(broker.depth("dead").ready).toBe(1);
    await consumer.drain();
  });
});

describe("onFailure: halt", () => {
  const plan = [{ key: "a", failures: 2 }, { key: "a" }, { key: "b", ms: 5 }, { key: "b", ms: 5 }];

  it("holds the key and its part of the window; others go on", async () => {
    const world = new World(plan, { retry, onFailure: "halt" });
    await world.publish();
    const consumer = await world.consume();
    await world.clock.sleep(1_000);
    expect(consumer.stats()).toMatchObject({ halted: 1, handled: 2, unsettled: 2 });
    expect(world.trace.attempts.filter(({ key }) => key === "a")).toHaveLength(2);
    await consumer.stop();
  });

  it("does not keep a drain waiting: what it holds is left to the broker", async () => {
    const world = new World(plan, { retry, onFailure: "halt" });
    await world.publish();
    const consumer = await world.consume();
    await world.clock.sleep(1_000);
    expect(await consumer.drain({ timeout: 500 })).toEqual({ complete: false, left: 2 });
    expect(world.clock.now()).toBe(1_000);
    expect(world.broker.depth("q")).toMatchObject({ ready: 2, unsettled: 0 });
  });

  it("neither where the key halts during the drain", async () => {
    const world = new World(plan, { retry, onFailure: "halt" });
    await world.publish();
    const consumer = await world.consume();
    await world.clock.sleep(1);
    expect(await consumer.drain({ timeout: 500 })).toEqual({ complete: false, left: 2 });
    expect(world.clock.now()).toBe(10);
    expect(world.trace.attempts.filter(({ number }) => number === 1)).toEqual([]);
  });

  it("ends with the session: the broker delivers again, and the key has its attempts again", async () => {
    const world = new World(plan, { retry, onFailure: "halt" });
    await world.publish();
    const consumer = await world.consume();
    await world.clock.sleep(1_000);
    world.broker.cut();
    expect(consumer.stats()).toMatchObject({ halted: 0, unsettled: 0, dropped: 2 });
    await world.clock.sleep(15);
    expect(world.trace.attempts.filter(({ number }) => number === 0)).toHaveLength(3);
    await world.clock.sleep(100);
    expect(consumer.stats()).toMatchObject({ halted: 1, unsettled: 2 });
    expect(world.trace.violations).toEqual([]);
    await consumer.stop();
  });
});

describe("onFailure: stop", () => {
  it("ends the consumer with the error; what runs may finish, nothing is lost", async () => {
    const plan = [
      { key: "a", ms: 5, failures: 2 }, // Fails for good at 20.
      { key: "a" },
      { key: "b", ms: 30 },
      { key: "b", ms: 30 },
    ];
    const world = new World(plan, { retry, onFailure: "stop" });
    await world.publish();
    const consumer = await world.consume();
    await expect(consumer.closed).rejects.toMatchObject({
      code: "HANDLER_FAILED",
      cause: { message: "a planned failure" },
    });
    expect(world.clock.now()).toBe(30);
    expect([...world.trace.done]).toEqual([2]);
    expect(consumer.stats()).toMatchObject({ handled: 1, connection: "closed" });
    expect(world.broker.depth("q")).toMatchObject({ ready: 3, unsettled: 0 });
    expect(world.trace.violations).toEqual([]);
  });

  it("is what happens where nothing is chosen", async () => {
    const broker = new MemoryBroker();
    broker.createQueue("q");
    await publishTexts(broker, ["bad"]);
    const consumer = await consume({
      subscriber: broker.subscriber(),
      source: "q",
      handler: () => Promise.reject(new Error("bad")),
      retry: { attempts: 1 },
    });
    await expect(consumer.closed).rejects.toMatchObject({ code: "HANDLER_FAILED" });
    expect(broker.depth("q")).toMatchObject({ ready: 1, unsettled: 0 });
  });
});
