import type { Admin, ITopicConfig, Kafka } from "kafkajs";
import { eventually } from "./inbox.ts";

/** Brokers learn of a topic a little after it has been created; kafkajs's own wait for that may fail. */
export async function createTopic(kafka: Kafka, config: ITopicConfig): Promise<void> {
  await withAdmin(kafka, (admin) =>
    admin.createTopics({ topics: [config], waitForLeaders: false }),
  );
  await ready(kafka, config.topic, config.numPartitions ?? 1);
}

/**
 * Waits until each of the partitions has a leader that knows that it is one. Before, it would refuse a batch, and kafkajs
 * would send it again to all, unless it is idempotent.
 */
export function ready(kafka: Kafka, topic: string, partitions: number): Promise<void> {
  // With an admin of its own: kafkajs's asks for every topic again that it was ever asked for.
  return withAdmin(kafka, async (admin) => {
    await known(admin, topic);
    await eventually(
      () => admin.fetchTopicOffsets(topic).then(({ length }) => length === partitions, no),
      () => `${partitions} partitions of ${topic} to be led`,
    );
  });
}

/** Waits until the broker knows the topic. Its leaders may not know that they are. */
export function known(admin: Admin, topic: string): Promise<void> {
  return eventually(
    () => admin.fetchTopicMetadata({ topics: [topic] }).then(() => true, no),
    () => `${topic} to be known`,
  );
}

const no = (): boolean => false;

async function withAdmin<T>(kafka: Kafka, work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}
