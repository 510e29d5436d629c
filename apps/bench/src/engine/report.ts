import type { Environment } from "../environment.ts";

/** `report.json` of `engine`. */
export interface EngineReport {
  readonly kind: "engine";
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly environment: Environment;
  readonly params: EngineParams;
  readonly rows: readonly EngineRow[];
  /** Memory resident before `consume` handles the backlog on the memory broker, and the most meanwhile. */
  readonly residentBytes: { readonly before: number; readonly peak: number };
}

export interface EngineParams {
  readonly messages: number;
  readonly keys: readonly number[];
  readonly rounds: number;
  readonly lanes: number;
  readonly window: number;
}

/** One contender with one number of keys. */
export interface EngineRow {
  readonly name: string;
  /** The npm package compared with, and its version; null for our own and for the bare loop. */
  readonly peer: string | null;
  readonly keys: number;
  readonly messages: number;
  /** Median of the rounds. */
  readonly nsPerMessage: number;
  /** Median over the rounds of the time per message ÷ that of a bare `await` loop in the same round. */
  readonly overBareAwait: number;
  /** Heap allocated for each message, the handler's own promise included. */
  readonly bytesPerMessage: number;
}

/** As the tables name it: with the version of what is not ours. */
export function rowName({ name, peer }: EngineRow): string {
  return peer === null ? name : `${name} ${peer.slice(peer.lastIndexOf("@") + 1)}`;
}
