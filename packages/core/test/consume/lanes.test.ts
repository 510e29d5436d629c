import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { consume } from "../../src/index.ts";
import { brokerWithQueue } from "../support/memory.ts";
import { World } from "../support/world.ts";

it("as many handlers as there are lanes may listen to the signal without a warning of Node's", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on("warning", note);
  const plan = Array.from({ length: 64 }, () => ({ ms: 5 }));
  for (const handlerTimeout of [undefined, 1_000]) {
    const world: World = new World(plan, {
      lanes: 64,
      first: (_, { signal }) => signal.addEventListener("abort", () => {}),
      ...(handlerTimeout !== undefined && { handlerTimeout }),
    });
    await world.run();
  }
  await turn(); // Warnings are emitted in a later turn.
  process.off("warning", note);
  expect(warnings).toEqual([]);
});

it("many hashed lanes share the room for one window of keys", async () => {
  const before = process.memoryUsage().heapUsed;
  const consumer = await consume({
    subscriber: brokerWithQueue().subscriber(),
    source: "q",
    dispatch: "hashed",
    lanes: 1_024,
    window: 32_768,
    handler: () => {},
  });
  const megabytes = (process.memoryUsage().heapUsed - before) / 2 ** 20;
  expect(megabytes).toBeLessThan(50); // A table of a window's size for each lane takes 512.
  await consumer.drain();
});
