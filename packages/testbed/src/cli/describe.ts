import type { Candidate } from "../broker.ts";
import type { Background } from "./background.ts";

type Described = Pick<Candidate, "product" | "version" | "how" | "real">;

/** "mosquitto 2.0.11 (native)" */
export function product({ product, version, how, real }: Described): string {
  return `${product} ${version} (${how}${real ? "" : ", not a real broker"})`;
}

export function describe(background: Background): string {
  return `${product(background)} at ${background.url}`;
}
