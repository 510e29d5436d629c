import { setTimeout as sleep } from "node:timers/promises";
import type { Admin } from "kafkajs";

/** Resolves when the group has so many members, and each knows its partitions. */
export async function settled(admin: Admin, groupId: string, members: number): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const [group] = (await admin.describeGroups([groupId])).groups;
    if (group?.state === "Stable" && group.members.length === members) return;
    if (performance.now() > deadline) {
      throw new Error(`${members} members expected, ${group?.members.length} ${group?.state}`);
    }
    await sleep(50);
  }
}

/** Notes every committed offset that is lower than one before. */
export function watchCommits(admin: Admin, topic: string, groupId: string) {
  const highest = new Map<number, number>();
  const regressions: string[] = [];
  let watching = true;
  const watch = (async () => {
    while (watching) {
      const [stored] = await admin.fetchOffsets({ groupId, topics: [topic] });
      for (const { partition, offset } of stored?.partitions ?? []) {
        const before = highest.get(partition) ?? -1;
        if (Number(offset) < before) regressions.push(`${partition}: ${offset} after ${before}`);
        highest.set(partition, Math.max(before, Number(offset)));
      }
      await sleep(100);
    }
  })();
  return {
    stop: async (): Promise<readonly string[]> => {
      watching = false;
      await watch;
      return regressions;
    },
  };
}

/** Records that the group has not committed. */
export async function lag(admin: Admin, topic: string, groupId: string): Promise<number> {
  const [stored] = await admin.fetchOffsets({ groupId, topics: [topic] });
  const ends = await admin.fetchTopicOffsets(topic);
  return ends.reduce((sum, { partition, high }) => {
    const offset = stored?.partitions.find((each) => each.partition === partition)?.offset;
    return sum + Number(high) - Math.max(0, Number(offset));
  }, 0);
}
