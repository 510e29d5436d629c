import type { GroupMember, PartitionAssigner } from "kafkajs";
import { decodeMetadata, encodeAssignment, encodeMetadata } from "./protocol.ts";

/** Partitions of a member by topic. */
type Partitions = Map<string, number[]>;

/** What a member says it has, from an assignment of that time (ms since 1970). */
export interface Had {
  readonly since: number;
  readonly partitions: Readonly<Record<string, readonly number[]>>;
}

interface Member {
  readonly id: string;
  readonly topics: readonly string[];
  readonly had: Had;
  readonly gets: Partitions;
  count: number;
}

/**
 * Spreads the partitions evenly over the members, as kafkajs's own assigner does, and leaves them where they are as far
 * as that allows: what a member keeps it need not give up in the middle of its work. It has the name of kafkajs's own,
 * so that members with either can be in one group, whoever leads it.
 */
export function stickyAssigner(had: () => Had): PartitionAssigner {
  return ({ cluster }) => ({
    name: "RoundRobinAssigner",
    version: 0,
    protocol({ topics }) {
      const userData = Buffer.from(JSON.stringify(had()));
      return { name: this.name, metadata: encodeMetadata({ topics, userData }) };
    },
    async assign({ members: joined, topics }) {
      const members = joined.map(memberOf).sort((a, b) => (a.id < b.id ? -1 : 1));
      const all = topics.flatMap((topic) =>
        cluster
          .findTopicPartitionMetadata(topic)
          .map(({ partitionId: partition }) => ({ topic, partition }))
          .sort((a, b) => a.partition - b.partition),
      );
      assign(members, all);
      return members.map(({ id, gets }) => ({
        memberId: id,
        memberAssignment: encodeAssignment(gets),
      }));
    },
  });
}

interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

function assign(members: readonly Member[], all: readonly TopicPartition[]): void {
  const left: TopicPartition[] = [];
  const share = Math.floor(all.length / members.length);
  // So many members may keep one more than the others.
  let larger = all.length % members.length;
  for (const each of all) {
    const owner = latest(members.filter((member) => claimsIt(member, each)));
    if (owner === undefined || owner.count > share || (owner.count === share && larger === 0)) {
      left.push(each);
      continue;
    }
    if (owner.count === share) larger--;
    give(owner, each);
  }
  for (const each of left) {
    const readers = members.filter(({ topics }) => topics.includes(each.topic));
    const fewest = Math.min(...readers.map(({ count }) => count));
    const poorest = readers.find(({ count }) => count === fewest);
    if (poorest !== undefined) give(poorest, each);
  }
}

function claimsIt({ topics, had }: Member, { topic, partition }: TopicPartition): boolean {
  return topics.includes(topic) && had.partitions[topic]?.includes(partition) === true;
}

/** A member that the group had given up still claims what it had before. */
function latest(claimants: readonly Member[]): Member | undefined {
  return claimants.reduce<Member | undefined>(
    (last, member) => (last === undefined || member.had.since > last.had.since ? member : last),
    undefined,
  );
}

function give(member: Member, { topic, partition }: TopicPartition): void {
  const given = member.gets.get(topic);
  if (given === undefined) member.gets.set(topic, [partition]);
  else given.push(partition);
  member.count++;
}

function memberOf({ memberId, memberMetadata }: GroupMember): Member {
  const { topics, userData } = decodeMetadata(memberMetadata);
  return { id: memberId, topics, had: parse(userData), gets: new Map(), count: 0 };
}

/** Nothing for members with another assigner. */
function parse(userData: Buffer): Had {
  try {
    const had: Partial<Had> | null = JSON.parse(userData.toString());
    if (typeof had?.since === "number" && typeof had.partitions === "object") return had as Had;
  } catch {
    // Another assigner's, or none.
  }
  return { since: 0, partitions: {} };
}
