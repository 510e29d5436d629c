import type { PublishBroker } from "../brokers.ts";
import type { Environment } from "../environment.ts";
import { formatCount } from "../format.ts";
import { inFlight, type Variant } from "./variants.ts";

/** `report.json` of `publish`. */
export interface PublishReport {
  readonly kind: "publish";
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly environment: Environment;
  readonly params: PublishParams;
  readonly rows: readonly PublishRow[];
}

export interface PublishParams {
  /** The brokers that were measured, as `--brokers` names them. */
  readonly brokers: readonly PublishBroker[];
  readonly rounds: number;
  readonly seconds: number;
  readonly bodyBytes: number;
  /** Calls under way at once in the variant `window`. */
  readonly inFlight: number;
}

/** One way to publish on one broker. Figures are medians of the rounds. */
export interface PublishRow {
  readonly broker: string;
  readonly brokerVersion: string;
  /** False for embedded and simulated brokers. */
  readonly real: boolean;
  readonly variant: Variant["variant"];
  /** Messages in each call of `publish`, or published by a plain client before it waits. */
  readonly batch: number;
  /** The npm package compared with, and its version; null for our own. */
  readonly client: string | null;
  /** Messages confirmed in a second. */
  readonly perSecond: number;
  /** Median over the rounds of the rate ÷ that of our own `awaited` in the same round, plain clients' too. */
  readonly overAwaited: number;
}

/** As the tables name it: with the client's name and version where it is not ours. */
export function rowName(row: Pick<PublishRow, "variant" | "batch" | "client">): string {
  const { variant, batch, client } = row;
  const batches = `batches of ${formatCount(batch)}`;
  if (client !== null) return `${client.replace("@", " ")}, ${batch === 1 ? "awaited" : batches}`;
  if (variant === "awaited") return "one, awaited";
  if (variant === "window") return `one, ${inFlight} in flight`;
  return batches;
}

/** The rows of each broker that was measured: our own, awaited, is the first of each. */
export function byBroker(rows: readonly PublishRow[]): PublishRow[][] {
  const groups: PublishRow[][] = [];
  for (const row of rows) {
    if (row.variant === "awaited") groups.push([]);
    groups.at(-1)?.push(row);
  }
  return groups;
}
