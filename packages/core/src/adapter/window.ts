import { invalidOption } from "../errors.ts";

/** The first thing that `subscribe` does. @throws {LabError} `INVALID_OPTION` unless it is an integer ≥ 1 */
export function requireWindow(window: number): void {
  if (!Number.isSafeInteger(window) || window < 1) {
    throw invalidOption("window", window, "an integer ≥ 1");
  }
}
