import { mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { invalidOption } from "./invalid-option.ts";

/**
 * Makes the folder that a report goes to, before anything is measured. Default: `reports/<time>-<kind>`.
 * @throws {LabError} `INVALID_OPTION` where it cannot be made
 */
export async function outputFolder(given: string | undefined, kind: string): Promise<string> {
  const time = new Date()
    .toISOString()
    .replace(/\.\d+Z$/, "")
    .replaceAll(":", "-");
  const folder = given ?? `reports/${time}-${kind}`;
  try {
    await makeFolder(resolve(folder));
  } catch (error) {
    throw invalidOption("--out", folder, "a folder that can be made", (error as Error).message);
  }
  return folder;
}

/** One step at a time: `recursive` tries for ever below a folder that takes none and says that it is missing, as /proc does. */
async function makeFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) return;
  if (dirname(path) !== path) await makeFolder(dirname(path));
  await mkdir(path);
}
