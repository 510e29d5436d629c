import { mkdir } from "node:fs/promises";
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
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw invalidOption("--out", folder, "a folder that can be made", (error as Error).message);
  }
  return folder;
}
