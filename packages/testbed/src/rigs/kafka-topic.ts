import { setTimeout as sleep } from "node:timers/promises";
import { type Admin, Kafka, type KafkaConfig } from "kafkajs";

/** Longest wait for a topic to be there, or for a group to be without members, in ms. */
const limit = 20_000;

/** Works with kafkajs's admin client, over a connection of its own. */
async function withAdmin<T>(config: KafkaConfig, work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = new Kafka(config).admin();
  try {
    await admin.connect();
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}

/** Resolves when the topic can be used: brokers learn of it a little after it has been created. */
export async function createTopic(
  config: KafkaConfig,
  topic: string,
  numPartitions: number,
): Promise<void> {
  await withAdmin(config, async (admin) => {
    await admin.createTopics({ topics: [{ topic, numPartitions }], waitForLeaders: false });
    const deadline = performance.now() + limit;
    for (;;) {
      try {
        const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
        const partitions = topics[0]?.partitions ?? [];
        if (partitions.filter(({ leader }) => leader >= 0).length === numPartitions) {
          // Rejects until each leader knows that it is one: a batch refused by one would be sent again to all.
          await admin.fetchTopicOffsets(topic);
          return;
        }
      } catch (error) {
        if (performance.now() > deadline) throw error;
      }
      if (performance.now() > deadline) throw new Error(`${topic} has no leaders`);
      await sleep(20);
    }
  });
}

/** With the groups of the same names. */
export async function deleteTopics(config: KafkaConfig, topics: readonly string[]): Promise<void> {
  if (topics.length === 0) return;
  await withAdmin(config, async (admin) => {
    await admin.deleteTopics({ topics: [...topics] });
    const { groups } = await admin.listGroups();
    const known = groups.map(({ groupId }) => groupId).filter((id) => topics.includes(id));
    if (known.length > 0) await admin.deleteGroups(known); // Of a topic that nobody consumed there is none.
  });
}

/** Counts the records that the group has not committed, and deletes all there are. */
export function purgeTopic(config: KafkaConfig, topic: string, groupId: string): Promise<number> {
  return withAdmin(config, async (admin) => {
    await untilEmpty(admin, groupId);
    const [committed] = await admin.fetchOffsets({ groupId, topics: [topic] });
    const offsets = await admin.fetchTopicOffsets(topic);
    let left = 0;
    for (const { partition, low, high } of offsets) {
      const stored = committed?.partitions.find((each) => each.partition === partition);
      left += Number(high) - Math.max(Number(low), Number(stored?.offset ?? -1));
    }
    const partitions = offsets
      .filter(({ low, high }) => low !== high)
      .map(({ partition, high: offset }) => ({ partition, offset }));
    if (partitions.length > 0) await admin.deleteTopicRecords({ topic, partitions });
    return left;
  });
}

/** A member whose connection was lost when it left is in the group until its session times out. */
async function untilEmpty(admin: Admin, groupId: string): Promise<void> {
  const deadline = performance.now() + limit;
  for (;;) {
    const { groups } = await admin.describeGroups([groupId]);
    const members = groups[0]?.members.length ?? 0;
    if (members === 0) return;
    if (performance.now() > deadline) throw new Error(`${groupId} still has ${members} members`);
    await sleep(50);
  }
}
