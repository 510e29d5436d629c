import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { LabError } from "@lab/core";
import type { RunningBroker } from "../broker.ts";
import { kinds } from "../kinds/index.ts";
import { checkName } from "../options.ts";
import { startBroker } from "../start.ts";
import { parseUrl } from "../target.ts";
import { forget, logFile, save } from "./background.ts";
import { openControl } from "./control.ts";
import type { Report } from "./start.ts";

/** Starts the broker named by the first argument and looks after it until it is told to stop. */
async function main(): Promise<void> {
  const name = checkName(process.argv[2] ?? "");
  const abandoned = new AbortController();
  const abandon = () =>
    abandoned.abort(new LabError("BROKER_START_FAILED", "The command that started it is gone."));
  process.once("disconnect", abandon);

  const broker = await startBroker(name, { signal: abandoned.signal });
  const token = randomUUID();
  const stop = async () => {
    await broker.stop();
    await forget(name);
    await rm(await logFile(name), { force: true });
  };
  try {
    const port = await openControl(token, { status: () => greet(broker), stop });
    const { product, version, real, how, directUrl: url } = broker;
    const startedAt = new Date().toISOString();
    const state = { name, product, version, real, how, url, startedAt, pid: process.pid };
    await save({ ...state, control: { port, token } });
  } catch (error) {
    await broker.stop();
    throw error;
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => stop().finally(() => process.exit()));
  }
  process.off("disconnect", abandon);
  await report({ started: true });
}

async function greet({ name, directUrl }: RunningBroker): Promise<string> {
  const kind = kinds[name];
  try {
    await kind.handshake(parseUrl(kind, directUrl, "url"), {});
    return "ok";
  } catch (error) {
    return (error as Error).message;
  }
}

/** Tells the command that waits, and lets go of it. */
function report(message: Report): Promise<void> {
  return new Promise((resolve) => {
    if (!process.connected) return resolve();
    process.send?.(message, () => {
      process.disconnect();
      resolve();
    });
  });
}

try {
  await main();
} catch (error) {
  await report(
    error instanceof LabError
      ? { code: error.code, message: error.message }
      : { code: "BROKER_START_FAILED", message: String(error) },
  );
  process.exit(1); // there is a server for its control already when somebody else was faster
}
