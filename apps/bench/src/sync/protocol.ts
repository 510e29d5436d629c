import type { Summary } from "./samples.ts";

export const syncBrokers = ["lab", "aedes", "mosquitto"] as const;
export type SyncBroker = (typeof syncBrokers)[number];

export type Mode = "batched" | "single";

/** Asks a side to get ready: the server to open its broker, the client to subscribe. */
export interface Prepare {
  readonly kind: "prepare";
  readonly broker: SyncBroker;
  readonly subscriptions: number;
  readonly batched: boolean;
  /** The client subscribes to its own values too, as in the published benchmark. */
  readonly echo: boolean;
  /** Of the broker. The server is given that of mosquitto, and else none. */
  readonly url: string | undefined;
}

/** Asks a side to change values and to mirror the other's. Times by `now()`. */
export interface Run {
  readonly kind: "run";
  readonly rate: number;
  /** Sides that change nothing only mirror. */
  readonly changes: boolean;
  readonly from: number;
  /** What is changed before is not counted. */
  readonly measureFrom: number;
  readonly until: number;
}

export type Request = Prepare | Run;

export interface Prepared {
  readonly url: string;
}

/** Figures of a latency in ms. */
export type LatencyMs = Omit<Summary, "count">;

/** One second of a run: latencies in ms, and how many values were mirrored in it. */
export interface TimelinePoint {
  readonly p50: number;
  readonly p99: number;
  readonly count: number;
}

export interface SideResult {
  /** Changes that this side has sent, those before the measurement included. */
  readonly sent: number;
  /** Changes of the other side that were mirrored here. */
  readonly received: number;
  readonly perSecond: number;
  /** Of the numbers mirrored in each second. */
  readonly modifications: Summary;
  readonly latencyMs: LatencyMs;
  readonly processingMs: LatencyMs;
  readonly rssMB: number;
  readonly heapMB: number;
  readonly allocMBps: number;
  readonly timeline: readonly TimelinePoint[];
}
