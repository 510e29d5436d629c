import { positiveNumber, wholeNumber } from "../arguments.ts";
import { invalidOption } from "../invalid-option.ts";

/**
 * Which key each message has.
 * - `even`: round robin.
 * - `uniform`: any key, each as likely as the others.
 * - `zipf`: the key of rank r with a likelihood of 1 / r^exponent.
 * - `clustered`: round robin in runs of `run` messages.
 */
export type KeyDistribution =
  | { readonly kind: "even" }
  | { readonly kind: "uniform" }
  | { readonly kind: "zipf"; readonly exponent: number }
  | { readonly kind: "clustered"; readonly run: number };

/** @throws {LabError} `INVALID_OPTION` */
export function parseKeyDistribution(name: string, text: string): KeyDistribution {
  const [kind, parameter, ...rest] = text.split(":");
  if (rest.length === 0) {
    if (parameter === undefined && (kind === "even" || kind === "uniform")) return { kind };
    if (parameter !== undefined && kind === "zipf") {
      return { kind, exponent: positiveNumber(`${name} zipf:S`, parameter, 10) };
    }
    if (parameter !== undefined && kind === "clustered") {
      return { kind, run: wholeNumber(`${name} clustered:N`, parameter, 1, 1_000_000) };
    }
  }
  throw invalidOption(name, text, "even, uniform, zipf:S or clustered:N", "For example zipf:1.0.");
}

/** The key of each message in turn, as a number below `keys`. */
export function keySequence(
  distribution: KeyDistribution,
  keys: number,
  random: () => number,
): (index: number) => number {
  switch (distribution.kind) {
    case "even":
      return (index) => index % keys;
    case "uniform":
      return () => Math.floor(random() * keys);
    case "clustered":
      return (index) => Math.floor(index / distribution.run) % keys;
    case "zipf": {
      const cumulative = new Float64Array(keys);
      let sum = 0;
      for (let rank = 0; rank < keys; rank++) {
        sum += (rank + 1) ** -distribution.exponent;
        cumulative[rank] = sum;
      }
      return () => firstAbove(cumulative, random() * sum);
    }
  }
}

/** The first position whose value is above `target`, by bisection; the values ascend and the last is above it. */
function firstAbove(ascending: Float64Array, target: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) > target) high = middle;
    else low = middle + 1;
  }
  return low;
}
