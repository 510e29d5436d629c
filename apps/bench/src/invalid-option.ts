import { LabError } from "@lab/core";

/** A value from the command line that cannot work: what was got, what was expected and, where it helps, what to do. */
export function invalidOption(name: string, got: string, expected: string, todo = ""): LabError {
  return new LabError(
    "INVALID_OPTION",
    `Expected \`${name}\` to be ${expected}, got "${got}".${todo === "" ? "" : ` ${todo}`}`,
  );
}
