import type { SkippedBroker } from "../brokers.ts";
import type { DrainReport, DrainRun } from "./report.ts";

/** One run of the handler. Times in ms from the first delivery of the run. */
export interface Span {
  readonly key: number;
  readonly lane: number;
  readonly start: number;
  readonly end: number;
}

/** A run with what its pictures are drawn from. */
export interface DetailedRun extends DrainRun {
  /** From the call of `consume` to the first delivery: connecting and subscribing. */
  readonly bindMs: number;
  /** Wait of every message, ascending, in ms. */
  readonly waits: Float64Array;
  readonly spans: readonly Span[];
}

/** What the page is made from: the report, and what is too much for it. */
export interface DrainResult {
  readonly report: DrainReport;
  readonly runs: readonly DetailedRun[];
  readonly skipped: readonly SkippedBroker[];
  /** What did not hold, one sentence each. Empty: every check held. */
  readonly failures: readonly string[];
}
