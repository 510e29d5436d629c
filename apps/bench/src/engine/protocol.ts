/** What a worker is asked for: one measurement. */
export interface WorkerRequest {
  readonly messages: number;
  readonly keys: number;
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
