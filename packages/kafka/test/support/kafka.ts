import { randomUUID } from "node:crypto";
import type { Publisher, Subscription } from "@lab/core";
import {
  type KafkaPublisherOptions,
  type KafkaSubscriberOptions,
  kafkaPublisher,
  kafkaSubscriber,
} from "@lab/kafka";
import { availability, type RunningBroker, type StartOptions, startBroker } from "@lab/testbed";
import { kafkaConfig } from "@lab/testbed/rigs";
import { type Admin, type ITopicConfig, Kafka, type KafkaConfig, type Message } from "kafkajs";
import { afterAll, beforeAll, onTestFinished, vi } from "vitest";
import { Inbox } from "./inbox.ts";
import { createTopic } from "./topics.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const { use } = await availability("kafka", { how: "native" });

/** Without it the tests that need it are skipped, unless every broker is required. */
export const withKafka: boolean = use !== undefined || process.env.LAB_REQUIRE_BROKERS === "1";

if (!withKafka) {
  console.warn(
    "Skipped: tests on Apache Kafka, which is not installed: npm run brokers -- install",
  );
}

/** An Apache Kafka for all tests of a `describe`. */
export function useKafka(options: StartOptions = {}): TestKafka {
  const kafka = new TestKafka();
  beforeAll(async () => {
    kafka.broker = await startBroker("kafka", { how: "native", ...options });
    kafka.admin = kafka.client().admin();
    await kafka.admin.connect();
  });
  afterAll(async () => {
    await kafka.admin?.disconnect();
    await kafka.broker?.stop();
  });
  return kafka;
}

export interface SubscribeTo extends Partial<Omit<KafkaSubscriberOptions, "kafka">> {
  readonly kafka?: Kafka;
  readonly window?: number;
  readonly inbox?: Inbox;
  readonly signal?: AbortSignal;
}

export interface Subscribed {
  readonly inbox: Inbox;
  readonly subscription: Subscription;
}

export class TestKafka {
  broker!: RunningBroker;
  admin!: Admin;

  client(changes: Partial<KafkaConfig> = {}): Kafka {
    return new Kafka({ ...kafkaConfig(this.broker), clientId: "test", ...changes });
  }

  /** A topic of its own, with a group of the same name. */
  async topic(partitions = 1, config: Partial<ITopicConfig> = {}): Promise<string> {
    const topic = `test-${randomUUID()}`;
    await createTopic(this.client(), { topic, numPartitions: partitions, ...config });
    return topic;
  }

  /** Publishes with kafkajs alone. */
  async produce(
    topic: string,
    messages: readonly (string | Message)[],
    compression = 0,
  ): Promise<void> {
    const producer = this.client().producer();
    await producer.connect();
    await producer.send({
      topic,
      compression,
      messages: messages.map((each) => (typeof each === "string" ? { value: each } : each)),
    });
    await producer.disconnect();
  }

  /** Subscribes; closes with the test. The group has the name of the topic. */
  async subscribe(topic: string, to: SubscribeTo = {}): Promise<Subscribed> {
    const { inbox = new Inbox(), window = 16, signal, ...options } = to;
    const subscriber = kafkaSubscriber({ kafka: this.client(), groupId: topic, ...options });
    const subscription = await subscriber.subscribe(topic, { window, signal }, inbox);
    onTestFinished(() => subscription.close());
    return { inbox, subscription };
  }

  publisher(options: Partial<KafkaPublisherOptions> = {}): Publisher {
    const publisher = kafkaPublisher({ kafka: this.client(), ...options });
    onTestFinished(() => publisher.close());
    return publisher;
  }

  /** What the group has committed, by partition; -1 where nothing. */
  async committed(topic: string, groupId: string = topic): Promise<number[]> {
    const [stored] = await this.admin.fetchOffsets({ groupId, topics: [topic] });
    const partitions = [...(stored?.partitions ?? [])].sort((a, b) => a.partition - b.partition);
    return partitions.map(({ offset }) => Number(offset));
  }

  async metadata(topic: string, groupId: string = topic): Promise<(string | null)[]> {
    const [stored] = await this.admin.fetchOffsets({ groupId, topics: [topic] });
    const partitions = [...(stored?.partitions ?? [])].sort((a, b) => a.partition - b.partition);
    return partitions.map(({ metadata }) => metadata);
  }
}
