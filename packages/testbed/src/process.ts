import { type ChildProcess, spawn } from "node:child_process";

const logLimit = 16_384;

/** A server process in a process group of its own, with the end of what it has written. */
export class ServerProcess {
  readonly #child: ChildProcess;
  #log = "";
  /** Resolves when the process is gone, with how it ended. Never rejects. */
  readonly ended: Promise<string>;
  #running = true;

  constructor(
    path: string,
    args: readonly string[],
    folder: string,
    env: Readonly<Record<string, string>> = {},
  ) {
    this.#child = spawn(path, args, {
      cwd: folder,
      env: { ...process.env, ...env },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.ended = new Promise((resolve) => {
      this.#child.once("error", (error) => resolve(error.message));
      // `close` and not `exit`: only then is the log complete.
      this.#child.once("close", (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
    this.ended.then(() => {
      this.#running = false;
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#log = (this.#log + text).slice(-logLimit);
      });
    }
  }

  /** Absent when it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  get running(): boolean {
    return this.#running;
  }

  /** The last of its output. */
  get log(): string {
    return this.#log.trimEnd();
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#running) this.#child.kill(signal);
  }

  /** SIGKILL to the whole group; resolves when the process is gone. */
  async kill(): Promise<void> {
    if (this.#running && this.pid !== undefined) {
      try {
        process.kill(-this.pid, "SIGKILL");
      } catch {
        // It ended by itself a moment ago.
      }
    }
    await this.ended;
  }
}
