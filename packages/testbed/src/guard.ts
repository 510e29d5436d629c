import { spawn } from "node:child_process";
import { once } from "node:events";

/** A small process of its own that cleans up if this one dies, in whatever way: SIGKILL, a crash, a signal. */
export interface Guard {
  /** Names what is to be cleaned up from now on; it reaches the script as `$owned`. */
  owns(what: string): void;
  /** There is nothing to clean up any more. Resolves when the guard is gone. */
  release(): Promise<void>;
}

/**
 * A shell whose standard input is a pipe from this process: when the pipe ends without a release, it runs `script`.
 * Chosen over signal handlers (SIGKILL has none, and a library should not change what Ctrl-C does) and over Linux'
 * parent-death signal (removes no folders, and is not everywhere). In a session of its own, so that a Ctrl-C in the
 * terminal does not reach it.
 * @param script POSIX shell; `args` are `$1` and so on.
 */
export async function openGuard(script: string, args: readonly string[]): Promise<Guard> {
  const wait = "while IFS= read -r line; do owned=$line; done";
  const shell = spawn(
    "/bin/sh",
    ["-c", `${wait}; [ -z "$owned" ] && exit 0; ${script}`, "guard", ...args],
    { stdio: ["pipe", "ignore", "ignore"], detached: true, env: { ...process.env, owned: "" } },
  );
  const gone = once(shell, "exit").catch(() => undefined);
  await once(shell, "spawn");
  shell.stdin.on("error", () => undefined); // somebody ended the guard: the normal way of stopping still works
  return {
    owns: (what) => void shell.stdin.write(`${what}\n`),
    release: async () => {
      shell.stdin.end("\n");
      await gone;
    },
  };
}
