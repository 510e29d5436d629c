import { kafkaConfig } from "@lab/testbed/rigs";
import { type Admin, Kafka } from "kafkajs";
import type { Site } from "./contender.ts";

/** Kafka keeps what was consumed: the group of that name can begin again with the first record. */
export async function rewind(site: Site): Promise<void> {
  const { name: groupId, source: topic } = site;
  await withAdmin(site, (admin) => admin.resetOffsets({ groupId, topic, earliest: true }));
}

/** How many records the group has not committed. */
export function uncommitted(site: Site): Promise<number> {
  const { name: groupId, source: topic } = site;
  return withAdmin(site, async (admin) => {
    const [committed] = await admin.fetchOffsets({ groupId, topics: [topic] });
    const ends = await admin.fetchTopicOffsets(topic);
    const left = ends.map(({ partition, low, high }) => {
      const stored = committed?.partitions.find((one) => one.partition === partition);
      return Number(high) - Math.max(Number(low), Number(stored?.offset ?? 0));
    });
    return left.reduce((sum, one) => sum + one, 0);
  });
}

async function withAdmin<T>({ url }: Site, work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = new Kafka(kafkaConfig({ url })).admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}
