import { execFile } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { kinds } from "../src/kinds/index.ts";
import { privateFolder } from "./support.ts";

const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandLine {
  /** Where the state of brokers in the background is kept. */
  readonly brokers: string;
  /** Where their data is. */
  readonly temporary: string;
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Outcome>;
}

/** Neither a broker of the user's own nor a docker engine: these tests start native brokers and embedded ones. */
const nothingRuns = {
  ...Object.fromEntries(Object.values(kinds).map(({ urlVariable }) => [urlVariable, ""])),
  DOCKER_HOST: "unix:///nowhere.sock",
};

/** The built command, with folders of its own; what it has started ends with the test. */
export function commandLine(defaults: Readonly<Record<string, string>> = {}): CommandLine {
  const brokers = privateFolder();
  const temporary = privateFolder();
  const run: CommandLine["run"] = (args, env = {}) =>
    new Promise((resolve) => {
      const own = { BROKERS_DIR: brokers, TMPDIR: temporary, ...nothingRuns };
      execFile(
        process.execPath,
        [cli, ...args],
        { env: { ...process.env, ...own, ...defaults, ...env } },
        (error, stdout, stderr) =>
          resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      );
    });
  onTestFinished(async () => void (await run(["stop"])));
  return { brokers, temporary, run };
}

/** Puts an executable shell script into a folder. */
export function script(folder: string, name: string, text: string): void {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
}
