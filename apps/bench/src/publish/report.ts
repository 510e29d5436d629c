import type { BrokerName } from "../brokers.ts";
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
  readonly brokers: readonly BrokerName[];
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
  /** Messages in each call of `publish`. */
  readonly batch: number;
  /** Messages confirmed in a second. */
  readonly perSecond: number;
  /** Median over the rounds of the rate ÷ that of `awaited` in the same round. */
  readonly overAwaited: number;
}

/** As the tables name it. */
export function rowName({ variant, batch }: Pick<PublishRow, "variant" | "batch">): string {
  if (variant === "awaited") return "one, awaited";
  if (variant === "window") return `one, ${inFlight} in flight`;
  return `batches of ${formatCount(batch)}`;
}
