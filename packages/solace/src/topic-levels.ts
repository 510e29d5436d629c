import type { KeySelector } from "@lab/core";
import { invalidOption } from "@lab/core/adapter";

/**
 * A key made of levels of the topic that a message was published to: `byTopicLevels(1)` gives "berlin" for
 * "orders/berlin/42". A message whose topic has fewer levels has no key, so it is unordered.
 * @param levels Which levels, from 0.
 * @throws {LabError} `INVALID_OPTION`
 */
export function byTopicLevels(...levels: readonly number[]): KeySelector {
  if (levels.length === 0 || !levels.every((level) => Number.isInteger(level) && level >= 0)) {
    throw invalidOption("levels", levels.join(", "), "one or more integers ≥ 0");
  }
  return ({ destination }) => {
    const parts = destination.split("/");
    const wanted = levels.map((level) => parts[level]);
    return wanted.includes(undefined) ? undefined : wanted.join("/");
  };
}
