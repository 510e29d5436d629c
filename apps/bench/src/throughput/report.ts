import type { Environment } from "../environment.ts";
import type { MeasuredBroker } from "./contenders/index.ts";

/** `report.json` of `throughput`. */
export interface ThroughputReport {
  readonly kind: "throughput";
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly environment: Environment;
  readonly params: ThroughputParams;
  readonly rows: readonly ThroughputRow[];
}

export interface ThroughputParams {
  /** The brokers that were measured, as `--brokers` names them. */
  readonly brokers: readonly MeasuredBroker[];
  readonly rounds: number;
  readonly lanes: number;
  /** Most messages unsettled at once. kafkajs has none: it has all of a fetch in hand. */
  readonly window: number;
  readonly bodyBytes: number;
  readonly keys: number;
}

/** One way to consume on one broker. Figures are medians of the rounds. */
export interface ThroughputRow {
  readonly broker: string;
  readonly brokerVersion: string;
  /** False for embedded and simulated brokers. */
  readonly real: boolean;
  readonly variant: string;
  /** The npm package compared with, and its version; null for our own. */
  readonly client: string | null;
  /** Measured; those for warming up come before. */
  readonly messages: number;
  readonly perSecond: number;
  readonly cpuUsPerMessage: number;
  /** Median over the rounds of the rate ÷ that of the raw loop in the same round. */
  readonly overRaw: number;
  /** The same of the CPU time a message. */
  readonly cpuOverRaw: number;
  /** Memory resident when the measurement began, and the most meanwhile. */
  readonly residentBytes: { readonly before: number; readonly peak: number };
}

/** As the tables name it: with the client's name and version where it is not ours. */
export function rowName({ variant, client }: Pick<ThroughputRow, "variant" | "client">): string {
  return client === null ? variant : `${client.replace("@", " ")}, ${variant}`;
}
