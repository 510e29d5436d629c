import { within } from "@lab/core/adapter";
import type { Cluster, Consumer, EachBatchPayload } from "kafkajs";
import type { CommittedOffset, GroupEvents } from "../client.ts";
import type { SubscriberSettings } from "../options.ts";
import { type Had, stickyAssigner } from "./assigner.ts";
import { findCoordinator } from "./coordinator.ts";
import { Hold } from "./hold.ts";
import { Link } from "./link.ts";
import { protocolError } from "./refusal.ts";
import { cutUntil } from "./sockets.ts";

/** How long `leave` waits for kafkajs, in ms, before it cuts the connections. */
const leaveTimeout = 3_000;
/** And how long for that. */
const cutTimeout = 1_000;

/**
 * How often kafkajs tries something again by itself: for 26 s, so that a broker that comes back soon finds the member
 * where it was. All values given, as its defaults are others when NODE_ENV is "test".
 */
const retry = {
  initialRetryTime: 300,
  multiplier: 2,
  factor: 0.2,
  maxRetryTime: 2_000,
  retries: 15,
};

export interface MembershipOptions {
  readonly topic: string;
  readonly settings: SubscriberSettings;
  readonly events: Pick<GroupEvents, "rebalancing" | "assigned" | "records" | "skipped">;
  readonly link: (up: boolean) => void;
  /** It is over, by itself and after it had joined. `leave` has still to be called. */
  readonly crashed: (error: Error) => void;
}

/** One consumer of kafkajs: a member of the group from its start until it crashes or leaves. */
export class Membership {
  readonly #options: MembershipOptions;
  readonly #consumer: Consumer;
  readonly #hold: Hold = new Hold(() => this.#beat());
  readonly #paused = new Set<number>();
  /** Brokers of which a fetch is under way. */
  readonly #fetching = new Set<number>();
  #cluster: Cluster | undefined;
  #link: Link | undefined;
  #memberId: string | undefined;
  #had: Had = { since: 0, partitions: {} };
  #payload: EachBatchPayload | undefined;
  #connecting: Promise<void> = Promise.resolve();
  #joining: Promise<void> = Promise.resolve();
  #joined: () => void = () => {};
  #refused: (error: Error) => void = () => {};
  #over = false;
  #leaving: Promise<void> | undefined;

  constructor(options: MembershipOptions) {
    this.#options = options;
    const { settings } = options;
    const { partitionAssigners = [stickyAssigner(() => this.#had)], ...consumer } =
      settings.consumer;
    this.#consumer = settings.kafka.consumer({
      maxWaitTimeInMs: 250,
      ...consumer,
      groupId: settings.groupId,
      allowAutoTopicCreation: false,
      retry: { ...retry, restartOnFailure: async () => false },
      // An assigner is the one place where kafkajs shows its connections, and that it is going to join.
      partitionAssigners: partitionAssigners.map((make) => (config) => {
        this.#cluster = config.cluster;
        const assigner = make(config);
        return Object.create(assigner, {
          protocol: {
            value: (subscription: { topics: string[] }) => {
              this.#rebalancing();
              return assigner.protocol(subscription);
            },
          },
        });
      }),
    });
    this.#listen();
  }

  get cluster(): Cluster {
    return this.#cluster as Cluster;
  }

  get partitions(): number[] {
    const { topic } = this.#options;
    return this.cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId);
  }

  /** Resolves when it is connected, and knows that the topic is there and who coordinates the group. */
  connect(): Promise<void> {
    this.#connecting = this.#connect();
    return this.#connecting;
  }

  async #connect(): Promise<void> {
    const { topic, settings } = this.#options;
    await this.#consumer.connect();
    await this.#consumer.subscribe({ topics: [topic], fromBeginning: true });
    await findCoordinator(this.cluster, settings.groupId);
  }

  /**
   * Resolves once the group has let it in, which can take as long as the other members take for a rebalance, and the
   * group for giving up a member that has died. To be called when it is connected.
   */
  join(): Promise<void> {
    this.#joining = new Promise((resolve, reject) => {
      this.#joined = resolve;
      this.#refused = reject;
    });
    this.#consumer
      .run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: Math.max(1, this.partitions.length),
        eachBatch: (payload) => this.#eachBatch(payload),
      })
      .catch((error: Error) => this.#crash(error));
    return this.#joining;
  }

  /** One attempt. */
  async commit(offsets: readonly CommittedOffset[]): Promise<void> {
    const { topic } = this.#options;
    if (this.#payload === undefined || this.#over) throw new Error("There is nothing to commit");
    this.#link?.look();
    const partitions = offsets.map(({ partition, offset, metadata }) => ({
      partition,
      offset: `${offset}`,
      metadata,
    }));
    // The consumer's own `commitOffsets` tries again, in whatever generation there is by then.
    await this.#payload.commitOffsetsIfNecessary({ topics: [{ topic, partitions }] });
  }

  pause(partition: number): void {
    if (this.#over) return;
    this.#paused.add(partition);
    this.#consumer.pause([{ topic: this.#options.topic, partitions: [partition] }]);
  }

  resume(partition: number): void {
    if (!this.#paused.delete(partition) || this.#over) return;
    this.#consumer.resume([{ topic: this.#options.topic, partitions: [partition] }]);
  }

  seek(partition: number, offset: number): void {
    if (this.#over) return;
    this.#consumer.seek({ topic: this.#options.topic, partition, offset: `${offset}` });
  }

  /** Leaves the group, if it is in it, and closes every connection. Never rejects. */
  leave(): Promise<void> {
    this.#leaving ??= this.#leave();
    return this.#leaving;
  }

  async #leave(): Promise<void> {
    this.#over = true;
    this.#link?.end();
    // Not while it connects or joins: kafkajs would go on, and be a member that nobody knows of.
    const gone = Promise.allSettled([this.#connecting, this.#joining])
      .then(() => this.#consumer.disconnect())
      .catch(() => {});
    await within(leaveTimeout, gone);
    await within(
      cutTimeout,
      cutUntil(gone, () => this.#cluster),
    );
  }

  #listen(): void {
    const { HEARTBEAT, GROUP_JOIN, FETCH_START, FETCH, END_BATCH_PROCESS, REBALANCING, CRASH } =
      this.#consumer.events;
    this.#consumer.on(HEARTBEAT, () => this.#link?.sign());
    this.#consumer.on(FETCH_START, ({ payload }) => this.#fetching.add(payload.nodeId));
    this.#consumer.on(FETCH, ({ payload }) => {
      this.#fetching.delete(payload.nodeId);
      this.#link?.sign();
    });
    this.#consumer.on(REBALANCING, () => this.#rebalancing());
    this.#consumer.on(GROUP_JOIN, ({ payload }) => {
      this.#onJoin(payload.memberId, payload.memberAssignment[this.#options.topic] ?? []);
    });
    // Where it shows nobody a record it passes over control records, and what compaction has removed.
    this.#consumer.on(END_BATCH_PROCESS, ({ payload }) => {
      if (payload.batchSize > 0 || this.#over) return;
      this.#options.events.skipped(payload.partition, Number(payload.lastOffset) + 1);
    });
    this.#consumer.on(CRASH, ({ payload }) => this.#crash(payload.error));
  }

  #rebalancing(): void {
    if (!this.#over) this.#options.events.rebalancing();
  }

  /** Comes before the first fetch of the generation, and in the turn in which the generation has changed. */
  #onJoin(memberId: string, partitions: readonly number[]): void {
    if (this.#over) return;
    const before = this.#memberId;
    const continued = before === memberId;
    this.#memberId = memberId;
    this.#link ??= this.#watch();
    if (before !== undefined && !continued && this.#fetching.size > 1) {
      // What is fetched from the other brokers belongs to the old member, and nothing would tell it from what is new.
      this.#crash(new Error("the group had given up this member"));
      return;
    }
    this.#link.sign();
    this.#had = { since: Date.now(), partitions: { [this.#options.topic]: partitions } };
    // Or it would still be paused when it comes back.
    for (const partition of this.#paused) {
      if (!continued || !partitions.includes(partition)) this.resume(partition);
    }
    this.#joined();
    this.#options.events.assigned(partitions, continued);
  }

  /** Never rejects: kafkajs would stop for good, or begin the batch again. */
  async #eachBatch(payload: EachBatchPayload): Promise<void> {
    const { batch } = payload;
    const { partition } = batch;
    const mine = this.#had.partitions[this.#options.topic]?.includes(partition);
    if (this.#over || payload.isStale() || mine !== true) return;
    this.#payload = payload;
    const last = batch.lastOffset();
    payload.resolveOffset(last);
    const records = batch.messages;
    const taken = this.#options.events.records({ partition, records, next: Number(last) + 1 });
    if (taken !== undefined) await this.#hold.until(taken);
  }

  #beat(): void {
    this.#link?.look();
    this.#payload?.heartbeat().catch((error: unknown) => {
      // Lost connections are made again; but what a broker answers is for kafkajs to deal with, so it must be let go.
      if (protocolError(error) !== undefined) this.#rebalancing();
    });
  }

  #watch(): Link {
    const { sessionTimeout = 30_000, rebalanceTimeout = 60_000 } = this.#options.settings.consumer;
    return new Link({
      cluster: this.cluster,
      silence: 2 * (sessionTimeout + rebalanceTimeout),
      changed: this.#options.link,
      silent: () => this.#crash(new Error("kafkajs gives no sign of life")),
    });
  }

  #crash(error: Error): void {
    if (this.#over) return;
    if (this.#memberId === undefined) {
      this.#refused(error);
      return;
    }
    this.#over = true;
    this.#options.crashed(error);
  }
}
