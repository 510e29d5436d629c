import type { Kafka, Message, ProducerConfig, ProducerRecord, RecordMetadata } from "kafkajs";

/** How the stand-in sends: returns the partitions that have confirmed. */
export type Send = (records: readonly Message[], producer: StandInProducer) => number[];

/** One producer that the stand-in has made. */
export class StandInProducer {
  readonly config: ProducerConfig;
  /** What it was given, by attempt. */
  readonly sent: (readonly Message[])[] = [];
  connections = 0;
  readonly #choose: (record: Message) => number;
  readonly #answer: Send;

  constructor(config: ProducerConfig, partitions: number, answer: Send) {
    this.config = config;
    this.#answer = answer;
    const choose = config.createPartitioner?.();
    const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({
      partitionErrorCode: 0,
      partitionId,
      leader: 1,
      replicas: [1],
      isr: [1],
    }));
    this.#choose = (message) => choose?.({ topic: "t", partitionMetadata, message }) ?? 0;
  }

  /** Chooses partitions as kafkajs does before each attempt of a send. */
  choose(records: readonly Message[]): number[] {
    return records.map((record) => this.#choose(record));
  }

  get api(): object {
    return {
      connect: async () => void this.connections++,
      disconnect: async () => void this.connections--,
      send: async ({ messages }: ProducerRecord) => {
        this.sent.push(messages);
        this.choose(messages);
        const confirmed = this.#answer(messages, this);
        return confirmed.map(
          (partition): RecordMetadata => ({ topicName: "t", partition, errorCode: 0 }),
        );
      },
    };
  }
}

/** In the place of kafkajs, for what no single broker can be made to do. Not a broker, and not a mock of one. */
export function standInProducers(
  partitions: number,
  answer: Send,
): { readonly kafka: Kafka; readonly producers: readonly StandInProducer[] } {
  const producers: StandInProducer[] = [];
  const kafka = {
    consumer: () => {},
    admin: () => ({
      connect: async () => {},
      fetchTopicMetadata: async () => ({ topics: [] }),
      disconnect: async () => {},
    }),
    producer: (config: ProducerConfig) => {
      const producer = new StandInProducer(config, partitions, answer);
      producers.push(producer);
      return producer.api;
    },
  } as unknown as Kafka;
  return { kafka, producers };
}
