import { WorkerProcess } from "../worker-process.ts";
import type { Contender } from "./contender.ts";
import { consumeOnMemory } from "./own.ts";
import type { WorkerRequest, WorkerResponse } from "./protocol.ts";

type Process = WorkerProcess<WorkerRequest, WorkerResponse>;

/** A young generation so large that nothing is collected while allocations are counted. In MiB. */
const roomForGarbage = 1024;
const withoutCollections = [
  `--min-semi-space-size=${roomForGarbage}`,
  `--max-semi-space-size=${roomForGarbage}`,
];

function processFor(name: string, signal: AbortSignal, nodeOptions: readonly string[]): Process {
  return new WorkerProcess({
    name,
    script: new URL("./worker.js", import.meta.url),
    args: [name],
    nodeOptions: ["--expose-gc", ...nodeOptions],
    signal,
  });
}

/** The processes that take the times: one for each contender, started when it is first needed and kept. */
export class TimingProcesses implements AsyncDisposable {
  readonly #signal: AbortSignal;
  readonly #running = new Map<Contender, Process>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  measure(contender: Contender, request: WorkerRequest): Promise<WorkerResponse> {
    let process = this.#running.get(contender);
    if (process === undefined) {
      process = processFor(contender.name, this.#signal, []);
      this.#running.set(contender, process);
    }
    return process.ask(request);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(Array.from(this.#running.values(), (one) => one[Symbol.asyncDispose]()));
  }
}

/**
 * Heap allocated for each message, in bytes, counted in a process that collects no garbage meanwhile.
 * @throws {Error} when it did all the same
 */
export async function allocatedPerMessage(
  { name }: Contender,
  request: WorkerRequest,
  signal: AbortSignal,
): Promise<number> {
  await using process = processFor(name, signal, withoutCollections);
  const { bytesPerMessage, collections } = await process.ask(request);
  if (collections > 0) {
    throw new Error(
      `Allocations of ${name} could not be counted: the garbage collector ran ${collections} times meanwhile.`,
    );
  }
  return bytesPerMessage;
}

/** Memory resident before `consume` handles a backlog on the memory broker, and the most meanwhile. */
export async function residentBytes(
  messages: number,
  signal: AbortSignal,
): Promise<{ before: number; peak: number }> {
  await using process = processFor(consumeOnMemory.name, signal, []);
  const keys = Math.min(messages, 1_000);
  const { rss, peakRss } = await process.ask({ keys, messages, settleMemory: true });
  return { before: rss, peak: peakRss ?? rss };
}
