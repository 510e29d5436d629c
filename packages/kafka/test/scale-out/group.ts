import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { entryLength } from "./judge.ts";

const program = fileURLToPath(new URL("./member.mjs", import.meta.url));

export interface MemberOptions {
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly groupId: string;
  readonly window: number;
  readonly lanes: number;
  /** Longest time that a handler takes, in ms. */
  readonly longest: number;
}

/** Processes that are members of one group. */
export class Group implements AsyncDisposable {
  readonly #options: MemberOptions;
  readonly #folder: string;
  readonly #running: { readonly name: string; readonly process: ChildProcess }[] = [];
  readonly #logs: string[] = [];
  /** Members that ended although nobody told them to. */
  readonly deserters: string[] = [];

  constructor(options: MemberOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
  }

  get size(): number {
    return this.#running.length;
  }

  /** One for each member that there was. */
  get logs(): readonly string[] {
    return this.#logs;
  }

  /** How many handlers have run, about: repeated ones as well. */
  handled(): number {
    const bytes = this.#logs.map((log) => statSync(log, { throwIfNoEntry: false })?.size ?? 0);
    return Math.floor(bytes.reduce((sum, size) => sum + size, 0) / (2 * entryLength));
  }

  /** Resolves when the group has let it in. */
  async join(): Promise<void> {
    const name = `member-${this.#logs.length}`;
    const log = join(this.#folder, `${name}.log`);
    this.#logs.push(log);
    const child = fork(program, [JSON.stringify({ ...this.#options, name, log })]);
    this.#running.push({ name, process: child });
    child.once("exit", () => {
      if (this.#forget(child)) this.deserters.push(name);
    });
    await Promise.race([once(child, "message"), once(child, "exit")]);
  }

  /** SIGKILL to the one that has been there longest. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** The one that has been there longest drains and leaves. */
  async leave(): Promise<void> {
    await this.#end("SIGTERM");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    while (this.#running.length > 0) await this.kill();
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#running[0]?.process;
    if (child === undefined) throw new Error("The group has no members");
    this.#forget(child);
    const exit = once(child, "exit");
    child.kill(signal);
    await exit;
  }

  #forget(child: ChildProcess): boolean {
    const place = this.#running.findIndex((member) => member.process === child);
    if (place >= 0) this.#running.splice(place, 1);
    return place >= 0;
  }
}
