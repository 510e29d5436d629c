import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { consume, type Handler, type HandlerContext } from "../../src/index.ts";
import { brokerWithQueue } from "../support/memory.ts";
import { World } from "../support/world.ts";

const plan = [{ key: "a" }, { key: "a" }];
const retry = { attempts: 2, base: 10, jitter: 0 };

describe("handlerTimeout", () => {
  it("aborts the signal; a rejection then is a failed attempt and says so", async () => {
    const reasons: unknown[] = [];
    const handler: Handler<number> = (value, { signal }) => {
      if (value === 1) return;
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          reasons.push(signal.reason);
          reject(signal.reason);
        });
      });
    };
    const world = new World(plan, { handler, handlerTimeout: 20, retry });
    const stats = await world.run();
    expect(reasons).toMatchObject([{ code: "HANDLER_TIMEOUT" }, { code: "HANDLER_TIMEOUT" }]);
    expect(world.clock.now()).toBe(50); // 20 + 10 + 20
    expect(stats).toMatchObject({ handled: 1, failed: 2, retried: 1, deadLettered: 1 });
    expect(await world.deadLetters()).toMatchObject([{ reason: "HANDLER_TIMEOUT", attempts: 2 }]);
  });

  it("names the message", async () => {
    const broker = brokerWithQueue();
    await broker.publisher().publish("q", [{ key: "a", body: Buffer.from("slow") }]);
    const consumer = await consume({
      subscriber: broker.subscriber(),
      source: "q",
      handlerTimeout: 1,
      retry: { attempts: 1 },
      handler: (_, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
    });
    await expect(consumer.closed).rejects.toMatchObject({
      code: "HANDLER_TIMEOUT",
      message: expect.stringMatching(/on a message for "q", key "a": .*`handlerTimeout` \(1 ms\)/),
    });
  });

  it("waits for a handler that does not heed it, and takes what it returns", async () => {
    const world: World = new World(
      [
        { key: "a", ms: 100 },
        { key: "a", ms: 5 },
      ],
      {
        handlerTimeout: 20,
      },
    );
    const stats = await world.run();
    expect(world.trace.attempts.map(({ start, end }) => [start, end])).toEqual([
      [0, 100],
      [100, 105],
    ]);
    expect(stats).toMatchObject({ handled: 2, failed: 0 });
  });

  it("is counted from the start of each attempt, not from the delivery", async () => {
    const expired: number[] = [];
    const world: World = new World(
      [
        { key: "a", ms: 15 },
        { key: "a", ms: 15 },
        { key: "a", ms: 15 },
      ],
      {
        handlerTimeout: 20,
        first: (value, { signal }) => {
          signal.addEventListener("abort", () => expired.push(value));
        },
      },
    );
    await world.run();
    expect(expired).toEqual([]);
  });

  it("leaves no timer behind", async () => {
    const world = new World([{ key: "a" }, { key: "a", ms: 3 }], { handlerTimeout: 1_000_000 });
    await world.run();
    expect(world.clock.now()).toBe(3);
  });

  it("leaves no timer behind where the handler never returns, once its session has ended", async () => {
    for (const read of [true, false]) {
      const world = new World([{ key: "a" }], {
        handlerTimeout: 1_000_000,
        handler: (_, context) => {
          if (read) void context.signal;
          return new Promise(() => {});
        },
      });
      await world.publish();
      const consumer = await world.consume();
      await world.clock.sleep(1);
      await consumer.stop();
      await world.clock.quiet();
      expect(world.clock.now()).toBe(1);
    }
  });

  it("aborts with the session as well, and once only", async () => {
    const reasons: unknown[] = [];
    const world: World = new World([{ key: "a", ms: 100 }], {
      handlerTimeout: 50,
      first: (_, { signal, attempt, delivery }) => {
        if (attempt === 1 && !delivery.redelivered) {
          signal.addEventListener("abort", () => reasons.push(signal.reason));
        }
      },
    });
    world.clock.setTimeout(() => world.broker.cut(), 10);
    await world.run();
    expect(reasons).toMatchObject([{ code: "SESSION_ENDED" }]);
  });

  it("keeps the signal of the time limit where it is asked for only afterwards", async () => {
    const seen: unknown[] = [];
    const world: World = new World([{ key: "a" }], {
      handlerTimeout: 20,
      handler: async (_, context) => {
        await world.clock.sleep(30);
        seen.push(context.signal.aborted, context.signal.reason);
      },
    });
    await world.run();
    expect(seen).toMatchObject([true, { code: "HANDLER_TIMEOUT" }]);
  });

  it("leaves nothing on the session, also where the signal is asked for after the attempt", async () => {
    const contexts: HandlerContext[] = [];
    const plan = Array.from({ length: 20 }, () => ({ key: "a" }));
    const world = new World(plan, {
      handlerTimeout: 20,
      first: (_, context) => {
        contexts.push(context);
        if (contexts.length % 2 === 0) void context.signal;
      },
    });
    await world.publish();
    const consumer = await world.consume();
    await world.clock.sleep(1);
    for (const { signal, delivery } of contexts) {
      expect(signal.aborted).toBe(false);
      expect(getEventListeners(delivery.session.signal, "abort")).toEqual([]);
    }
    await consumer.drain();
  });
});
