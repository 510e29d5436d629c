import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { WorkerRequest, WorkerResponse } from "./protocol.ts";

const script = fileURLToPath(new URL("./worker.js", import.meta.url));

/** A young generation so large that nothing is collected while allocations are counted. In MiB. */
const roomForGarbage = 1024;

export interface WorkerOptions {
  /** No garbage collection, so that the growth of the heap is what was allocated. @default false */
  readonly countAllocations?: boolean;
  /** For contenders that need a broker. */
  readonly brokerUrl: string | undefined;
  readonly signal: AbortSignal;
}

/** A process that measures one contender. Disposing it ends it. */
export class WorkerProcess implements AsyncDisposable {
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #signal: AbortSignal;

  constructor(contender: string, { countAllocations, brokerUrl, signal }: WorkerOptions) {
    this.#name = contender;
    this.#signal = signal;
    const room = [
      `--min-semi-space-size=${roomForGarbage}`,
      `--max-semi-space-size=${roomForGarbage}`,
    ];
    this.#child = fork(script, brokerUrl === undefined ? [contender] : [contender, brokerUrl], {
      execArgv: ["--expose-gc", ...(countAllocations === true ? room : [])],
    });
  }

  /** @throws {Error} when the process ends without an answer, or the signal aborts */
  async measure(request: WorkerRequest): Promise<WorkerResponse> {
    const settled = new AbortController();
    const signal = AbortSignal.any([this.#signal, settled.signal]);
    try {
      const answer = once(this.#child, "message", { signal });
      const gone = once(this.#child, "exit", { signal }).then(([code]) => {
        throw new Error(`The process that measured ${this.#name} ended with exit code ${code}.`);
      });
      this.#child.send(request);
      const [response] = await Promise.race([answer, gone]);
      return response;
    } finally {
      settled.abort();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, "exit");
    this.#child.kill("SIGKILL"); // It holds nothing but memory.
    await gone;
  }
}
