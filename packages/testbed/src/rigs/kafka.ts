import type {
  ContractCapabilities,
  Rig,
  SubscriberTuning,
  Support,
  TestSource,
} from "@lab/contract";
import type { Publisher, Subscriber } from "@lab/core";
import { type ConsumerConfig, Kafka, type KafkaConfig, logLevel } from "kafkajs";
import type { RunningBroker } from "../broker.ts";
import { freePort } from "../free-port.ts";
import { configOf } from "../kinds/kafka/config.ts";
import { kafka } from "../kinds/kafka/index.ts";
import { parseUrl } from "../target.ts";
import { createTopic, deleteTopics, purgeTopic } from "./kafka-topic.ts";

/** What the rig needs of `@lab/kafka`, which it must not import. */
export interface KafkaAdapter {
  kafkaSubscriber(options: {
    readonly kafka: Kafka;
    readonly groupId: string;
    readonly completionsInMetadata: boolean;
    readonly consumer: Pick<ConsumerConfig, "sessionTimeout" | "heartbeatInterval">;
  }): Subscriber;
  kafkaPublisher(options: { readonly kafka: Kafka }): Publisher;
}

export interface KafkaRigOptions {
  /** Belongs to the rig from now on: closing the rig stops it. */
  readonly broker: RunningBroker;
  readonly adapter: KafkaAdapter;
  /** Of each source. @default 3 */
  readonly partitions?: number;
  /** @default false */
  readonly completionsInMetadata?: boolean;
}

/**
 * kafkajs's options for a broker of the test bed, but for `clientId`. It logs nothing. To be called for each client:
 * kafkajs keeps the password in use within `sasl`.
 */
export function kafkaConfig({ url, ca }: Pick<RunningBroker, "url" | "ca">): KafkaConfig {
  return { ...configOf(parseUrl(kafka, url, "url"), ca), logLevel: logLevel.NOTHING };
}

/** Long enough for a loaded machine, short enough to wait for a member that could not say goodbye. */
const sessionTimeout = 10_000;

const missing = "missing-topic";

/** A rig on Apache Kafka. A source is a topic and a group of the same name. */
export async function kafkaRig(options: KafkaRigOptions): Promise<Rig> {
  const { broker, adapter, partitions = 3, completionsInMetadata = false } = options;
  // The broker's address without the proxy changes when it is restarted.
  const direct = (): KafkaConfig => kafkaConfig({ url: broker.directUrl, ca: broker.ca });
  const created: string[] = [];
  const vacant = `127.0.0.1:${await freePort()}`;
  const clientOf = (clientId: string, changes: Partial<KafkaConfig> = {}): Kafka =>
    new Kafka({ ...kafkaConfig(broker), clientId, ...changes });
  const subscriberOf = (client: Kafka, groupId: string, session: number): Subscriber =>
    adapter.kafkaSubscriber({
      kafka: client,
      groupId,
      completionsInMetadata,
      consumer: { sessionTimeout: session, heartbeatInterval: Math.floor(session / 5) },
    });
  const refused = (changes: Partial<KafkaConfig> = {}) => ({
    subscriber: subscriberOf(clientOf("refused", changes), "refused", sessionTimeout),
    source: missing,
  });
  const { sasl } = kafkaConfig(broker);

  return {
    broker: broker.product,
    brokerVersion: broker.version,
    real: broker.real,

    async createSource(name: string): Promise<TestSource> {
      await createTopic(direct(), name, partitions);
      created.push(name);
      return {
        source: name,
        destination: name,
        subscriber: (member = 0, { keepAliveMs = sessionTimeout }: SubscriberTuning = {}) =>
          subscriberOf(clientOf(`${name}-${member}`), name, keepAliveMs),
        purge: () => purgeTopic(direct(), name, name),
      };
    },

    publisher: async () => adapter.kafkaPublisher({ kafka: clientOf("publisher") }),

    faults: {
      ...(broker.how !== "running" && { cut: () => broker.cut() }),
      ...(broker.restart && { restart: broker.restart }),
    },

    refusals: {
      missingSource: () => refused(),
      ...(sasl && {
        wrongCredentials: () => refused({ sasl: { ...sasl, password: "wrong" } as typeof sasl }),
      }),
      // kafkajs tries as often as its user says; one who wants to know at once says this.
      unreachable: () => refused({ brokers: [vacant], retry: { retries: 0 } }),
      refusedDestination: () => missing,
      refusedMessage: () => ({ body: new Uint8Array(2_000_000) }),
    },

    async close(): Promise<void> {
      // A broker of ours takes its topics with it.
      if (broker.how === "running") await deleteTopics(direct(), created);
      await broker.stop();
    },
  };
}

/** Said of a rig before its broker is there. */
export interface KafkaRigOutlook extends Pick<KafkaRigOptions, "partitions"> {
  /** The broker asks for a user name and a password. */
  readonly credentials: boolean;
  /** Connections can be cut; or why not. */
  readonly cut: Support;
  /** The broker can be restarted with its data; or why not. */
  readonly restart: Support;
}

/** What can be claimed for such a rig. */
export function kafkaCapabilities(outlook: KafkaRigOutlook): ContractCapabilities {
  return {
    settles: "by-offset",
    nack: false,
    reject: false,
    deliveryCount: false,
    partitions: "key",
    resumes: true,
    headers: true,
    keys: true,
    competing: outlook.partitions !== 1 || "A partition belongs to one member.",
    handover: true,
    redelivered: "A log is read again; nobody notes who has read it before.",
    deleteSource: "It is told after half a minute: kafkajs asks for the topic so long.",
    cut: outlook.cut,
    restart: outlook.restart,
    missingSource: true,
    wrongCredentials: outlook.credentials || "The broker was started without a password.",
    unreachable: true,
    refusedDestination: true,
    refusedMessage: true,
    keepAliveMs: 2_000,
  };
}
