import { type ErrorCode, LabError } from "@lab/core";

/** A check for `assert.throws` and `assert.rejects`: a `LabError` of this code whose message contains `text`. */
export function labError(code: ErrorCode, text = ""): (error: unknown) => true {
  return (error) => {
    if (!(error instanceof LabError)) throw new Error(`Expected a LabError ${code}, got: ${error}`);
    if (error.code !== code) throw new Error(`Expected code ${code}, got ${error.code}: ${error}`);
    if (!error.message.includes(text)) throw new Error(`Expected "${text}" in: ${error.message}`);
    return true;
  };
}
