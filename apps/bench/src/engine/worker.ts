import { contenderNamed } from "./contenders.ts";
import { GarbageCollections } from "./garbage-collections.ts";
import { buildMessages } from "./messages.ts";
import type { WorkerRequest, WorkerResponse } from "./protocol.ts";

/**
 * A process that measures one contender, as often as it is asked to. A process of its own, so that no contender runs on
 * code that was compiled for another, or on its heap.
 */
const contender = contenderNamed(process.argv[2] ?? "");
const collectGarbage = (): void => {
  if (globalThis.gc === undefined) throw new Error("Start this process with --expose-gc.");
  globalThis.gc();
};
const collected = new GarbageCollections();

const warmUp = 100_000;

// A failed measurement is an unhandled rejection: it ends this process, and the parent sees that.
process.on("message", (request: WorkerRequest) => {
  void measure(request).then((response) => process.send?.(response));
});

async function measure({ keys, messages }: WorkerRequest): Promise<WorkerResponse> {
  const trial = await contender.prepare(buildMessages(Math.min(warmUp, messages), keys));
  await trial.start();
  const run = await contender.prepare(buildMessages(messages, keys));
  collectGarbage();
  const collections = await collected.count();
  const rss = process.memoryUsage.rss();
  const heap = process.memoryUsage().heapUsed;
  const started = performance.now();
  await run.start();
  const ms = performance.now() - started;
  const grown = process.memoryUsage().heapUsed - heap;
  return {
    nsPerMessage: (ms * 1e6) / messages,
    bytesPerMessage: grown / messages,
    collections: (await collected.count()) - collections,
    rss,
    peakRss: run.peakRss,
  };
}
