import type { Environment } from "../environment.ts";
import type { Side } from "./change.ts";
import type { Mode, SideResult, SyncBroker } from "./protocol.ts";

/** `report.json` of `sync`. */
export interface SyncReport {
  readonly kind: "sync";
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly environment: Environment;
  readonly params: SyncParams;
  readonly runs: readonly SyncRun[];
}

export interface SyncParams {
  readonly brokers: readonly SyncBroker[];
  readonly subscriptions: number;
  /** Changes a second on each side; 0: as many as can be sent. */
  readonly rate: number;
  readonly seconds: number;
  readonly mode: Mode | "both";
}

/** What one side has sent and mirrored in one run. Times in ms. */
export interface SyncRun extends SideResult {
  readonly broker: string;
  readonly brokerVersion: string;
  /** False for embedded brokers. */
  readonly real: boolean;
  readonly mode: Mode;
  readonly side: Side;
}
