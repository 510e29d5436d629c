import fc from "fast-check";
import type { Cluster, Logger } from "kafkajs";
import kafkajs from "kafkajs";
import { expect, test } from "vitest";
import { stickyAssigner } from "../src/kafkajs/assigner.ts";

const { AssignerProtocol, PartitionAssigners } = kafkajs;
const topic = "t";

type Assigned = Record<string, number[]>;

/** One rebalance: what each member gets, of what it says it had. */
async function rebalance(
  partitions: number,
  had: Record<string, { since: number; partitions: number[] }>,
): Promise<Assigned> {
  const cluster = {
    findTopicPartitionMetadata: () =>
      Array.from({ length: partitions }, (_, partitionId) => ({ partitionId })),
  } as unknown as Cluster;
  const config = { cluster, groupId: "g", logger: {} as Logger };
  const members = Object.entries(had).map(([memberId, { since, partitions: numbers }]) => {
    const assigner = stickyAssigner(() => ({ since, partitions: { [topic]: numbers } }))(config);
    return { memberId, memberMetadata: assigner.protocol({ topics: [topic] }).metadata };
  });
  const leader = stickyAssigner(() => ({ since: 0, partitions: {} }))(config);
  const given = await leader.assign({ members, topics: [topic] });
  return Object.fromEntries(
    given.map(({ memberId, memberAssignment }) => {
      const decoded = AssignerProtocol.MemberAssignment.decode(memberAssignment);
      return [memberId, decoded?.assignment[topic] ?? []];
    }),
  );
}

test("every partition has one owner, shares differ by one at most, and no more moves than has to", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 6 }),
      async (partitions, sizes) => {
        let had: Assigned = {};
        for (const [generation, size] of sizes.entries()) {
          const joining: Record<string, { since: number; partitions: number[] }> = {};
          for (let member = 0; member < size; member++) {
            joining[`m${member}`] = { since: generation, partitions: had[`m${member}`] ?? [] };
          }
          const now = await rebalance(partitions, joining);
          const all = Object.values(now)
            .flat()
            .sort((a, b) => a - b);
          expect(all).toEqual(Array.from({ length: partitions }, (_, i) => i));
          const counts = Object.values(now).map(({ length }) => length);
          expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
          const most = Math.ceil(partitions / size);
          for (const [member, { partitions: before }] of Object.entries(joining)) {
            const kept = now[member]?.filter((partition) => before.includes(partition)) ?? [];
            const fair = Math.floor(partitions / size);
            expect(kept.length).toBeGreaterThanOrEqual(Math.min(before.length, fair));
            expect(kept.length).toBeLessThanOrEqual(most);
          }
          had = now;
        }
      },
    ),
  );
});

test("a member that the group had given up gets nothing back for what it still claims", async () => {
  const now = await rebalance(4, {
    evicted: { since: 1, partitions: [0, 1, 2, 3] },
    owner: { since: 2, partitions: [0, 1] },
    other: { since: 2, partitions: [2, 3] },
  });
  expect(now.owner).toEqual(expect.arrayContaining([0]));
  expect(now.other?.every((partition) => partition >= 2)).toBe(true);
});

test("kafkajs's own assigner reads what it writes, and the other way round", async () => {
  const cluster = {
    findTopicPartitionMetadata: () => [{ partitionId: 0 }, { partitionId: 1 }],
  } as unknown as Cluster;
  const config = { cluster, groupId: "g", logger: {} as Logger };
  const ours = stickyAssigner(() => ({ since: 5, partitions: { [topic]: [1] } }))(config);
  const theirs = PartitionAssigners.roundRobin(config);
  expect(ours.name).toBe(theirs.name);
  const metadata = ours.protocol({ topics: [topic, "ü"] }).metadata;
  expect(AssignerProtocol.MemberMetadata.decode(metadata)?.topics).toEqual([topic, "ü"]);
  const members = [
    { memberId: "a", memberMetadata: metadata },
    { memberId: "b", memberMetadata: theirs.protocol({ topics: [topic] }).metadata },
  ];
  const given = await ours.assign({ members, topics: [topic] });
  const byMember = given.map(({ memberAssignment }) => {
    return AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment;
  });
  expect(byMember).toEqual([{ [topic]: [1] }, { [topic]: [0] }]);
});
