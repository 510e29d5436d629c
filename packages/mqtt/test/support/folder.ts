import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder for one test. */
export function privateFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "lab-mqtt-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
