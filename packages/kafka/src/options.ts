import { invalidOption } from "@lab/core/adapter";
import type { ConsumerConfig, Kafka, ProducerConfig } from "kafkajs";

/** What kafkajs's consumer is told by this package. */
type OwnConsumerOptions = "groupId" | "retry" | "allowAutoTopicCreation" | "maxInFlightRequests";

type OwnProducerOptions = "retry" | "allowAutoTopicCreation" | "transactionalId";

export interface KafkaSubscriberOptions {
  /** Your client: `new Kafka({ clientId, brokers, ssl, sasl, … })`. */
  readonly kafka: Kafka;
  /** The consumer group. Its members share the partitions; one group reads one topic. */
  readonly groupId: string;
  /**
   * Where the group starts on a partition of which it has committed nothing. A `Date`: with the first record from then
   * on. To move a group that has committed, stop its members and set its offsets (kafkajs: `admin.setOffsets`).
   * @default "beginning"
   */
  readonly startFrom?: "beginning" | "end" | Date;
  /**
   * Longest time between two commits while there is something to commit, in ms. Commits come earlier where
   * `maxUncommitted` asks for it. @default 500
   */
  readonly commitInterval?: number;
  /**
   * Most records delivered beyond the committed offset at once: what a crash repeats at most. An integer, not below the
   * window. More makes fewer commits. @default 2 × window
   */
  readonly maxUncommitted?: number;
  /**
   * Keeps in the commit's metadata which records beyond the committed offset are done, as far as 4096 bytes reach, so
   * that they are not repeated after a crash or a rebalance. @default false
   */
  readonly completionsInMetadata?: boolean;
  /**
   * kafkajs's own options of the consumer: `sessionTimeout`, `heartbeatInterval`, `maxBytesPerPartition`, `rackId` and
   * so on. `maxWaitTimeInMs` is 250 unless given, and partitions stay with their members where they can.
   * @default kafkajs's
   */
  readonly consumer?: Omit<ConsumerConfig, OwnConsumerOptions>;
  /**
   * Longest wait for the connection, in ms. How long the group takes to let a member in is the group's to say.
   * @default 15_000
   */
  readonly connectTimeout?: number;
}

export interface KafkaPublisherOptions {
  /** Your client: `new Kafka({ clientId, brokers, ssl, sasl, … })`. */
  readonly kafka: Kafka;
  /** One of kafkajs's `CompressionTypes`. Codecs other than gzip have to be registered with kafkajs. @default none */
  readonly compression?: number;
  /**
   * The largest batch of records that the topics take, in bytes: their `max.message.bytes`. A message that is larger is
   * refused; more of them than that are sent as several batches. @default 1_048_588
   */
  readonly maxMessageBytes?: number;
  /**
   * kafkajs's own options of the producer: `createPartitioner`, `metadataMaxAge` and so on. `idempotent` is true unless
   * given: what is sent again is written once. @default kafkajs's
   */
  readonly producer?: Omit<ProducerConfig, OwnProducerOptions>;
  /**
   * When nothing has been confirmed for so long, in ms, what is unconfirmed has failed. Until then it is sent again, unless
   * no broker can be reached for as long as the client's `retry` says. @default 30_000
   */
  readonly confirmTimeout?: number;
}

/** Options with every default filled in, but those that depend on the window. */
export interface SubscriberSettings
  extends Required<Omit<KafkaSubscriberOptions, "maxUncommitted">> {
  readonly maxUncommitted: number | undefined;
}

export type PublisherSettings = Required<KafkaPublisherOptions>;

/** @throws {LabError} `INVALID_OPTION` */
export function subscriberSettings(options: KafkaSubscriberOptions): SubscriberSettings {
  const settings = {
    kafka: options.kafka,
    groupId: options.groupId,
    startFrom: options.startFrom ?? "beginning",
    commitInterval: options.commitInterval ?? 500,
    maxUncommitted: options.maxUncommitted,
    completionsInMetadata: options.completionsInMetadata ?? false,
    consumer: options.consumer ?? {},
    connectTimeout: options.connectTimeout ?? 15_000,
  };
  const { groupId, startFrom, completionsInMetadata } = settings;
  requireKafka(settings.kafka);
  if (typeof groupId !== "string" || groupId === "") {
    throw invalidOption("groupId", groupId, "a non-empty string", "Members of one group share it.");
  }
  const date = startFrom instanceof Date && !Number.isNaN(startFrom.getTime());
  if (!date && startFrom !== "beginning" && startFrom !== "end") {
    throw invalidOption("startFrom", startFrom, '"beginning", "end" or a valid Date');
  }
  if (typeof completionsInMetadata !== "boolean") {
    throw invalidOption("completionsInMetadata", completionsInMetadata, "true or false");
  }
  requireDuration("commitInterval", settings.commitInterval);
  requireDuration("connectTimeout", settings.connectTimeout);
  refuse("consumer", settings.consumer, {
    groupId: "Give it as `groupId`.",
    retry: "Whatever fails is tried again for ever; how often in a row is this package's to say.",
    allowAutoTopicCreation: "A missing topic is an error.",
    maxInFlightRequests: "Heartbeats must not queue behind a fetch.",
  });
  return settings;
}

/** @throws {LabError} `INVALID_OPTION` */
export function publisherSettings(options: KafkaPublisherOptions): PublisherSettings {
  const settings = {
    kafka: options.kafka,
    compression: options.compression ?? 0,
    maxMessageBytes: options.maxMessageBytes ?? 1_048_588,
    producer: options.producer ?? {},
    confirmTimeout: options.confirmTimeout ?? 30_000,
  };
  const { compression, maxMessageBytes } = settings;
  requireKafka(settings.kafka);
  if (!Number.isInteger(compression) || compression < 0 || compression > 4) {
    throw invalidOption("compression", compression, "one of kafkajs's CompressionTypes, 0 to 4");
  }
  if (!Number.isSafeInteger(maxMessageBytes) || maxMessageBytes < 1) {
    throw invalidOption("maxMessageBytes", maxMessageBytes, "an integer ≥ 1");
  }
  requireDuration("confirmTimeout", settings.confirmTimeout);
  refuse("producer", settings.producer, {
    retry: "How often kafkajs tries again is this package's to say.",
    allowAutoTopicCreation: "A missing topic is an error.",
    transactionalId: "This publisher makes no transactions.",
  });
  return settings;
}

/** @throws {LabError} `INVALID_OPTION` */
export function uncommittedLimit(settings: SubscriberSettings, window: number): number {
  const { maxUncommitted = 2 * window } = settings;
  if (!Number.isSafeInteger(maxUncommitted) || maxUncommitted < window) {
    const expected = `an integer, not below the window of ${window}`;
    throw invalidOption("maxUncommitted", maxUncommitted, expected);
  }
  return maxUncommitted;
}

function requireKafka(kafka: Kafka): void {
  const complete =
    typeof kafka?.consumer === "function" &&
    typeof kafka.producer === "function" &&
    typeof kafka.admin === "function";
  if (complete) return;
  throw invalidOption(
    "kafka",
    kafka,
    "a client of kafkajs",
    "For example: new Kafka({ brokers }).",
  );
}

/** Types refuse these already; plain JavaScript has to be told. */
function refuse(name: string, options: object, reasons: Readonly<Record<string, string>>): void {
  if (typeof options !== "object" || options === null) {
    throw invalidOption(name, options, "an object with options of kafkajs");
  }
  for (const [option, why] of Object.entries(reasons)) {
    const got: unknown = Reflect.get(options, option);
    if (got !== undefined) throw invalidOption(`${name}.${option}`, got, "left out", why);
  }
}

/** Longer than this, Node's timers fire at once. */
const longestTimer = 2 ** 31 - 1;

function requireDuration(name: string, got: number): void {
  if (!(Number.isFinite(got) && got > 0 && got <= longestTimer)) {
    throw invalidOption(name, got, `a number of milliseconds above 0, at most ${longestTimer}`);
  }
}
