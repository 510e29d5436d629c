import type { ConnectionState, LabError } from "@lab/core";

/**
 * All that the adapter needs of a Kafka client to consume: the seam at which another client could take kafkajs's place
 * (docs/decisions/0007-kafka-source-port.md). One `GroupClient` is one member of a group, for one topic.
 *
 * Offsets are numbers: exact up to 2^53, which a partition with a million messages a second reaches in 285 years.
 */
export interface GroupClient {
  /**
   * Connects, checks that the topic is there, and joins the group. Resolves once the first assignment has been told;
   * rejects with a `LabError`, and with nothing left open, when that cannot work. Afterwards whatever goes wrong is the
   * client's to restore, for ever and with back-off, except for what it tells as `failed`.
   */
  open(signal: AbortSignal | undefined): Promise<void>;
  /**
   * Stores offsets for the group in one attempt, in the generation that is current when it is called; rejects when they
   * were not stored. To be called from a macrotask (timer, immediate), never from within a promise's continuation:
   * there a generation could have changed without `assigned` having been called yet.
   */
  commit(offsets: readonly CommittedOffset[]): Promise<void>;
  /** What the group has stored for every partition of the topic; a partition without is left out. */
  committed(): Promise<readonly CommittedOffset[]>;
  /** Where each partition ends now; or where its first record from that time on (ms since 1970) is. */
  positions(at: "end" | number): Promise<ReadonlyMap<number, number>>;
  /** Fetches nothing more of the partition until `resume`, or until the member has lost it. */
  pause(partition: number): void;
  resume(partition: number): void;
  /** The next record to fetch of a partition that is assigned. */
  seek(partition: number, offset: number): void;
  /** Leaves the group and closes every connection. Takes a few seconds at most; never rejects. */
  close(): Promise<void>;
}

export interface CommittedOffset {
  readonly partition: number;
  /** The next record to be consumed. */
  readonly offset: number;
  readonly metadata: string;
}

/** What a {@link GroupClient} tells. None of these throws. */
export interface GroupEvents {
  /** A rebalance has begun: at the next `assigned` any partition may be gone. Until then commits still count. */
  rebalancing(): void;
  /**
   * A generation has begun with these partitions and no others. Called before the first records of the generation.
   * `continued`: the member is the same, so what it had of a partition that it keeps is still its own, and it has to
   * `seek` to where it was. Otherwise the fetch starts at the committed offset, or where none is committed, at the
   * beginning.
   */
  assigned(partitions: readonly number[], continued: boolean): void;
  /**
   * Records have been fetched. While the promise is pending nothing more may be fetched of this partition, nor, with
   * some clients, of others; the membership is kept up meanwhile. It never rejects.
   */
  records(fetched: FetchedRecords): Promise<void> | undefined;
  /** There are no records that a consumer could see before `next`: control records, or what compaction has removed. */
  skipped(partition: number, next: number): void;
  connection(state: ConnectionState, cause?: LabError): void;
  /** It is over for good. Everything is closed. */
  failed(error: LabError): void;
}

/** Records of one partition, in the order of their offsets; at least one. */
export interface FetchedRecords {
  readonly partition: number;
  readonly records: readonly FetchedRecord[];
  /** The offset to fetch from next: above that of the last record, by more than one where control records follow. */
  readonly next: number;
}

/** A record as kafkajs has it, so that none has to be converted. */
export interface FetchedRecord {
  readonly offset: string;
  /** Milliseconds since 1970. */
  readonly timestamp: string;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers?: Readonly<Record<string, HeaderValue | HeaderValue[] | null | undefined>>;
}

export type HeaderValue = Uint8Array | string;
