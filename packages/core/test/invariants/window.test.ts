import v8 from "node:v8";
import vm from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { consume } from "../../src/index.ts";
import { MemoryBroker } from "../../src/memory/index.ts";
import { runScenario, scenarios } from "../support/scenario.ts";

v8.setFlagsFromString("--expose-gc");
const collectGarbage = vm.runInNewContext("gc") as () => void;

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

describe("1. The window bounds what is unsettled, and memory does not grow with the backlog", () => {
  // Break it: src/consumer.ts: `{ window, signal }, this.#engine` -> `{ window: window + 1, signal }, this.#engine`
  it("never has more than the window unsettled, and counts it right", async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async (scenario) => {
        const { trace, stats } = await runScenario(scenario);
        expect(trace.violations).toEqual([]);
        expect(trace.unsettledMost).toBeLessThanOrEqual(scenario.window);
        expect(stats.maxUnsettled).toBe(trace.unsettledMost);
        expect(stats.unsettled).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  // Break it: src/engine/scheduler.ts: `this.#table.remove(freed);` -> ``
  it("keeps nothing of the messages and keys that are done", async () => {
    const portion = 1_000;
    const broker = new MemoryBroker();
    broker.createQueue("q");
    const publisher = broker.publisher();
    let published = 0;
    const publish = (): Promise<void> => {
      const first = published;
      published += portion;
      return publisher.publish(
        "q",
        Array.from({ length: portion }, (_, index) => ({
          body: Buffer.alloc(200),
          key: `${first + index}`.padStart(200, "key "), // each key once
        })),
      );
    };
    await publish();
    let handled = 0;
    const heap: number[] = [];
    let finish: () => void = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const handler = async (): Promise<void> => {
      if (++handled % portion !== 0) return;
      if (handled === 10 * portion || handled === 40 * portion) heap.push(heapUsed());
      if (handled === 40 * portion) finish();
      else await publish();
    };
    const consumer = await consume({ subscriber: broker.subscriber(), source: "q", handler });
    await Promise.race([finished, consumer.closed]);
    await consumer.drain();
    const [early = 0, late = Number.POSITIVE_INFINITY] = heap;
    expect(late - early).toBeLessThan(2_000_000);
  });
});
