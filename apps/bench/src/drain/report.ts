import type { Dispatch } from "@lab/core";
import type { BrokerName } from "../brokers.ts";
import type { Environment } from "../environment.ts";
import type { ConfigToken, DispatchChoice } from "./configuration.ts";

/** `report.json` of `drain`. */
export interface DrainReport {
  readonly kind: "drain";
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly environment: Environment;
  readonly params: DrainParams;
  readonly runs: readonly DrainRun[];
}

/** What the command was told, defaults filled in: the same values give the same backlog. */
export interface DrainParams {
  /** The brokers that were run, as `--brokers` names them. */
  readonly brokers: readonly BrokerName[];
  readonly configs: readonly ConfigToken[];
  readonly dispatch: DispatchChoice;
  readonly messages: number;
  readonly keys: number;
  readonly keyDist: string;
  /** Shortest and longest handler time in ms, before `scale`. */
  readonly handler: readonly [number, number];
  readonly scale: number;
  readonly window: number;
  readonly seed: number;
}

/** One configuration on one broker. Times are in ms. */
export interface DrainRun {
  readonly broker: string;
  readonly brokerVersion: string;
  /** False for embedded and simulated brokers. */
  readonly real: boolean;
  readonly dispatch: Dispatch;
  readonly lanes: number;
  /** From the first delivery to the last settle. The time to connect and subscribe is not in it. */
  readonly elapsedMs: number;
  /** Messages per second of `elapsedMs`. */
  readonly throughput: number;
  /** `elapsedMs` of the inline run on this broker over that of this run; null where there is none, or where nothing was handled. */
  readonly speedup: number | null;
  /** All handler times of this run together, as measured. */
  readonly handlerMs: number;
  /** No schedule is faster: max(`handlerMs` ÷ `lanes`, the longest chain of one key), as measured. */
  readonly boundMs: number;
  /** `elapsedMs` ÷ `boundMs`: 1 is perfect. */
  readonly overBound: number;
  /** From the delivery of a message to the start of its handler: how long it lay in the process. */
  readonly waitMs: { readonly p50: number; readonly p99: number };
  /** Messages whose handler started before that of an earlier one of the same key. */
  readonly violations: number;
  /** Handlers that started while one of the same key was running. */
  readonly overlaps: number;
  /** Messages handled again after they had been handled. */
  readonly duplicates: number;
  /** Published messages that were never handled. */
  readonly lost: number;
  /** Messages that the broker still held when the run was over. */
  readonly leftOnBroker: number;
  /** The most deliveries unsettled at once, counted between adapter and engine. */
  readonly maxUnsettled: number;
  readonly window: number;
}
