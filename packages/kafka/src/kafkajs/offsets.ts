import type { Cluster, TopicOffsets } from "kafkajs";
import type { CommittedOffset } from "../client.ts";
import { findCoordinator } from "./coordinator.ts";

/** What it really answers. */
interface StoredOffset {
  readonly partition: number;
  readonly offset: string;
  readonly metadata?: string | null;
}

/** What the group has stored, over the connections of its consumer. */
export async function committedOffsets(
  cluster: Cluster,
  groupId: string,
  topic: string,
  partitions: readonly number[],
): Promise<CommittedOffset[]> {
  const coordinator = await findCoordinator(cluster, groupId);
  const asked: TopicOffsets = {
    topic,
    partitions: partitions.map((partition) => ({ partition, offset: "" })),
  };
  const { responses } = await coordinator.offsetFetch({ groupId, topics: [asked] });
  const stored = responses.flatMap((response): StoredOffset[] => response.partitions);
  return stored
    .map(({ partition, offset, metadata }) => ({
      partition,
      offset: Number(offset),
      metadata: metadata ?? "",
    }))
    .filter(({ offset }) => offset >= 0);
}

/** Where the partitions end, or where the first record from a time on is; where there is none, that is the end too. */
export async function offsetsAt(
  cluster: Cluster,
  topic: string,
  numbers: readonly number[],
  at: "end" | number,
): Promise<Map<number, number>> {
  const partitions = numbers.map((partition) => ({ partition }));
  const ask = async (query: { fromBeginning: false } | { fromTimestamp: number }) => {
    const answers = await cluster.fetchTopicsOffset([{ topic, partitions, ...query }]);
    return answers.flatMap((answer) => answer.partitions);
  };
  const offsets = new Map<number, number>();
  for (const { partition, offset } of await ask({ fromBeginning: false })) {
    offsets.set(partition, Number(offset));
  }
  if (at === "end") return offsets;
  for (const { partition, offset } of await ask({ fromTimestamp: at })) {
    if (Number(offset) >= 0) offsets.set(partition, Number(offset));
  }
  return offsets;
}
