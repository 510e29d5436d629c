import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

export interface WorkerOptions {
  /** What is measured there, for messages. */
  readonly name: string;
  /** The program, a compiled one. */
  readonly script: URL;
  readonly args?: readonly string[];
  /** Options of Node.js. */
  readonly nodeOptions?: readonly string[];
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** A process of its own that measures: it answers one request at a time. Disposing it ends it. */
export class WorkerProcess<Request extends object, Response> implements AsyncDisposable {
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #signal: AbortSignal;

  constructor({ name, script, args = [], nodeOptions = [], env = {}, signal }: WorkerOptions) {
    this.#name = name;
    this.#signal = signal;
    this.#child = fork(script, args, {
      execArgv: [...nodeOptions],
      // Clients behave differently under "test".
      env: { ...process.env, NODE_ENV: "production", ...env },
    });
  }

  /** @throws {Error} when the process ends without an answer, or the signal aborts */
  async ask(request: Request): Promise<Response> {
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

/** The other side: answers each request. A failure ends the process, and the parent sees that. */
export function answerRequests<Request, Response>(
  answer: (request: Request) => Promise<Response>,
): void {
  process.on("message", (request: Request) => {
    void answer(request).then((response) => process.send?.(response));
  });
}
