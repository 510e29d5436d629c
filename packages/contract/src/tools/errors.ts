import assert from "node:assert/strict";
import { type ErrorCode, LabError, PublishError } from "@lab/core";
import type { ScenarioContext } from "../context.ts";

/** A check for `assert.throws` and `assert.rejects`: a `LabError` of this code whose message contains `text`. */
export function labError(code: ErrorCode, text = ""): (error: unknown) => true {
  return (error) => {
    if (!(error instanceof LabError)) throw new Error(`Expected a LabError ${code}, got: ${error}`);
    if (error.code !== code) throw new Error(`Expected code ${code}, got ${error.code}: ${error}`);
    if (!error.message.includes(text)) throw new Error(`Expected "${text}" in: ${error.message}`);
    return true;
  };
}

/** The error of a publish that must fail in part or as a whole. */
export async function publishError(
  context: ScenarioContext,
  publishing: Promise<void>,
): Promise<PublishError> {
  const outcome = await context.within(
    "the publish to fail",
    publishing.then(
      () => undefined,
      (error: unknown) => error,
    ),
  );
  assert.ok(outcome instanceof PublishError, `expected a PublishError, got: ${outcome}`);
  assert.equal(outcome.code, "PUBLISH_FAILED");
  return outcome;
}
