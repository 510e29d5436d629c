/** What a worker is asked for: one measurement. */
export interface WorkerRequest {
  readonly messages: number;
  readonly keys: number;
  /** Waits until freed memory is back at the system, so that `rss` says what is in use. @default false */
  readonly settleMemory?: boolean;
}

/** What it measured. */
export interface WorkerResponse {
  readonly nsPerMessage: number;
  /** Growth of the heap; what was allocated, if `collections` is 0. */
  readonly bytesPerMessage: number;
  /** Garbage collections meanwhile. */
  readonly collections: number;
  /** Memory resident before, in bytes. */
  readonly rss: number;
  readonly peakRss: number | undefined;
}
