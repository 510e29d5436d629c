import { setTimeout as sleep } from "node:timers/promises";
import { LabError } from "@lab/core";
import type { SaveOnSignal } from "./kind.ts";

const saveLimit = 60_000;
const betweenLooks = 10;

/**
 * Makes a server write its state to disk and waits for the file: it writes a new one and renames it, so a file with
 * another identity is a whole one.
 * @param look tells the identity of the file as it is now; undefined when there is none.
 * @throws {LabError} `BROKER_START_FAILED` after 60 s.
 */
export async function saveOnSignal(
  { signal, file }: SaveOnSignal,
  send: (signal: NodeJS.Signals) => Promise<void> | void,
  look: (file: string) => Promise<string | undefined>,
): Promise<void> {
  const before = await look(file);
  await send(signal);
  const deadline = performance.now() + saveLimit;
  for (;;) {
    const now = await look(file);
    if (now !== undefined && now !== before) return;
    if (performance.now() > deadline) {
      throw new LabError(
        "BROKER_START_FAILED",
        `The broker did not save its state to ${file} within ${saveLimit / 1000} s of ${signal}, so it was not killed. ` +
          "Is the disk full?",
      );
    }
    await sleep(betweenLooks);
  }
}
