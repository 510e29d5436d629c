import type { Contender } from "./contender.ts";
import { consumeOnMemory } from "./own.ts";
import type { WorkerRequest, WorkerResponse } from "./protocol.ts";
import { type WorkerOptions, WorkerProcess } from "./worker-process.ts";

/** The processes that take the times: one for each contender, started when it is first needed and kept. */
export class TimingProcesses implements AsyncDisposable {
  readonly #options: WorkerOptions;
  readonly #running = new Map<Contender, WorkerProcess>();

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  measure(contender: Contender, request: WorkerRequest): Promise<WorkerResponse> {
    let process = this.#running.get(contender);
    if (process === undefined) {
      process = new WorkerProcess(contender.name, this.#options);
      this.#running.set(contender, process);
    }
    return process.measure(request);
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
  options: WorkerOptions,
): Promise<number> {
  await using process = new WorkerProcess(name, { ...options, countAllocations: true });
  const { bytesPerMessage, collections } = await process.measure(request);
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
  options: WorkerOptions,
): Promise<{ before: number; peak: number }> {
  await using process = new WorkerProcess(consumeOnMemory.name, options);
  const keys = Math.min(messages, 1_000);
  const { rss, peakRss } = await process.measure({ keys, messages, settleMemory: true });
  return { before: rss, peak: peakRss ?? rss };
}
