import { spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type ErrorCode, LabError } from "@lab/core";
import { type BrokerName, kinds } from "../kinds/index.ts";
import { runningUrl } from "../running.ts";
import { withoutPassword } from "../target.ts";
import { ask, type Background, find, logFile } from "./background.ts";
import { describe } from "./describe.ts";

/** What the process in the background tells the command that started it. */
export type Report = { readonly started: true } | Failure;

interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
}

/** Starts brokers in the background. Only the lines for the shell go to standard output, so that it can be evaluated. */
export async function start(names: readonly BrokerName[]): Promise<number> {
  let failures = 0;
  for (const name of names) {
    try {
      await startOne(name);
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      console.error(`${name}: ${error.code}: ${error.message}`);
      failures += 1;
    }
  }
  return failures === 0 ? 0 : 1;
}

async function startOne(name: BrokerName): Promise<void> {
  const { urlVariable } = kinds[name];
  const url = runningUrl(kinds[name]);
  const already = await findAnswering(name);
  if (already === undefined && url !== undefined) {
    console.error(`${name}: ${urlVariable} names ${withoutPassword(url)}: nothing to start.`);
    return;
  }
  const background = already ?? (await spawnBackground(name));
  console.error(`${name}: ${already ? "already running" : "started"}: ${describe(background)}`);
  console.log(`export ${urlVariable}=${background.url}`);
}

/** The broker in the background, if it answers. One that died is cleaned up. */
async function findAnswering(name: BrokerName): Promise<Background | undefined> {
  const background = await find(name);
  if (background === undefined) return undefined;
  const status = await ask(background, "status");
  if (status === "ok") return background;
  console.error(`${name}: the one started before does not answer (${status}); it is replaced.`);
  await ask(background, "stop");
  return undefined;
}

async function spawnBackground(name: BrokerName): Promise<Background> {
  const path = await logFile(name);
  const log = await open(path, "w", 0o600);
  const daemon = spawn(
    process.execPath,
    [fileURLToPath(new URL("./daemon.js", import.meta.url)), name],
    { detached: true, stdio: ["ignore", log.fd, log.fd, "ipc"] },
  );
  await log.close();
  const failure = (what: string): Failure => ({
    code: "BROKER_START_FAILED",
    message: `${what} Its log: ${path}`,
  });
  const [report] = (await Promise.race([
    once(daemon, "message"),
    once(daemon, "disconnect").then(() => [failure("The process in the background has crashed.")]),
  ])) as [Report];
  daemon.unref();
  const background = await find(name); // found after a failure, too, when somebody else was faster
  if (background !== undefined) return background;
  const { code, message } = "code" in report ? report : failure("The broker has ended.");
  throw new LabError(code, message);
}
