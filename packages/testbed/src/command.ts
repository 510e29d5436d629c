import { execFile } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";

/**
 * The file that a command stands for: searched in the folders of `PATH`, and in the `sbin` folder beside each `bin`, as
 * servers are installed there and ordinary users do not have it on their `PATH`. An absolute path stands for itself.
 */
export function findCommand(command: string): string | undefined {
  if (isAbsolute(command)) return isExecutable(command) ? command : undefined;
  const { PATH = "" } = process.env;
  const folders = PATH.split(delimiter).filter((folder) => folder !== "");
  const siblings = folders
    .filter((folder) => basename(folder) === "bin")
    .map((folder) => join(dirname(folder), "sbin"));
  return [...folders, ...siblings].map((folder) => join(folder, command)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

/** Runs a command to its end and returns its output. Rejects with what it wrote when it fails. */
export function run(
  path: string,
  args: readonly string[],
  { env, timeout, signal }: RunOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      path,
      args,
      {
        env: { ...process.env, ...env },
        timeout,
        killSignal: "SIGKILL",
        ...(signal && { signal }),
      },
      (error, stdout, stderr) => {
        if (error === null) return resolve(stdout);
        const said = (stderr.trim() || stdout.trim() || error.message).slice(-4_000);
        reject(new Error(said, { cause: error }));
      },
    );
  });
}
