import { setTimeout as sleep } from "node:timers/promises";
import { answerRequests } from "../worker-process.ts";
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

/** Handled before the first measurement, so that the code is compiled by then. */
const warmUp = 500_000;
let warm = false;

answerRequests(measure);

async function measure(request: WorkerRequest): Promise<WorkerResponse> {
  const { keys, messages } = request;
  if (!warm) {
    const trial = await contender.prepare(buildMessages(Math.min(warmUp, messages), keys));
    await trial.start();
    warm = true;
  }
  const run = await contender.prepare(buildMessages(messages, keys));
  collectGarbage();
  if (request.settleMemory === true) await settleMemory();
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

/** V8 gives pages back in the background, some of them only after a second collection. */
async function settleMemory(): Promise<void> {
  for (let i = 0; i < 2; i++) {
    await sleep(300);
    collectGarbage();
  }
  await sleep(300);
}
