import { EventEmitter } from "node:events";
import type { Assigner, ConsumerConfig, ConsumerRunConfig, EachBatchPayload, Kafka } from "kafkajs";

const events = {
  HEARTBEAT: "heartbeat",
  GROUP_JOIN: "group_join",
  FETCH_START: "fetch_start",
  FETCH: "fetch",
  END_BATCH_PROCESS: "end_batch_process",
  REBALANCING: "rebalancing",
  CRASH: "crash",
};

/** One consumer that the stand-in has made: the test plays kafkajs's part. */
export class StandInConsumer {
  readonly config: ConsumerConfig;
  readonly committed: unknown[] = [];
  /** What a commit is refused with. */
  refusal: Error | undefined;
  readonly seeks: unknown[] = [];
  readonly paused = new Set<number>();
  heartbeats = 0;
  disconnected = false;
  connected = true;
  run: ConsumerRunConfig = {};
  readonly assigners: Assigner[];
  readonly #emitter = new EventEmitter();

  constructor(config: ConsumerConfig, partitions: number) {
    this.config = config;
    const cluster = {
      isConnected: () => this.connected,
      findTopicPartitionMetadata: () =>
        Array.from({ length: partitions }, (_, partitionId) => ({ partitionId })),
      findGroupCoordinator: async () => ({}),
    };
    this.assigners = (config.partitionAssigners ?? []).map((make) =>
      make({ cluster, groupId: config.groupId } as unknown as Parameters<typeof make>[0]),
    );
  }

  /** What the adapter sees of it. */
  get api(): object {
    return {
      events,
      on: (name: string, listener: (event: { payload: unknown }) => void) =>
        this.#emitter.on(name, (payload: unknown) => listener({ payload })),
      connect: async () => {},
      subscribe: async () => {},
      run: async (run: ConsumerRunConfig) => {
        this.run = run;
        queueMicrotask(() => this.emit("run", undefined));
      },
      disconnect: async () => {
        this.disconnected = true;
      },
      seek: (seek: unknown) => void this.seeks.push(seek),
      pause: ([{ partitions }]: [{ partitions: number[] }]) => {
        for (const partition of partitions) this.paused.add(partition);
      },
      resume: ([{ partitions }]: [{ partitions: number[] }]) => {
        for (const partition of partitions) this.paused.delete(partition);
      },
    };
  }

  on(name: string, listener: () => void): void {
    this.#emitter.on(name, listener);
  }

  emit(name: string, payload: unknown): void {
    this.#emitter.emit(name, payload);
  }

  join(memberId: string, topic: string, partitions: number[]): void {
    this.emit("group_join", { memberId, memberAssignment: { [topic]: partitions } });
  }

  crash(error: Error): void {
    this.emit("crash", { error });
  }

  /** Hands a batch over, as kafkajs does; resolves when it may go on. */
  batch(topic: string, partition: number, offsets: readonly number[]): Promise<void> {
    const last = `${offsets.at(-1)}`;
    const payload = {
      batch: {
        topic,
        partition,
        messages: offsets.map((offset) => ({
          offset: `${offset}`,
          timestamp: "0",
          key: null,
          value: Buffer.from(`${offset}`),
          headers: {},
        })),
        lastOffset: () => last,
      },
      resolveOffset: () => {},
      isStale: () => false,
      heartbeat: async () => {
        this.heartbeats++;
      },
      commitOffsetsIfNecessary: async (offsets: unknown) => {
        this.committed.push(offsets);
        if (this.refusal !== undefined) throw this.refusal;
      },
    };
    return Promise.resolve(this.run.eachBatch?.(payload as unknown as EachBatchPayload));
  }
}

/** In the place of kafkajs, for what no broker can be made to do. Not a broker, and not a mock of one. */
export function standIn(partitions = 1): {
  readonly kafka: Kafka;
  readonly consumers: StandInConsumer[];
  /** Called with each consumer that is made, when the adapter has called `run`. */
  onRun: (consumer: StandInConsumer) => void;
} {
  const made = {
    consumers: [] as StandInConsumer[],
    onRun: (_: StandInConsumer): void => {},
    kafka: {
      producer: () => {},
      admin: () => {},
      consumer: (config: ConsumerConfig) => {
        const consumer = new StandInConsumer(config, partitions);
        made.consumers.push(consumer);
        consumer.on("run", () => made.onRun(consumer));
        return consumer.api;
      },
    } as unknown as Kafka,
  };
  return made;
}
