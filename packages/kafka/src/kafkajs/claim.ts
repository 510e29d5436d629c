import { invalidOption } from "@lab/core/adapter";
import type { Kafka } from "kafkajs";

interface Claim {
  readonly topic: string;
  members: number;
}

const claims = new WeakMap<Kafka, Map<string, Claim>>();

/**
 * kafkajs keeps the committed offsets by group, for all consumers of one client, and each of them throws away those of
 * the topics that it does not read: with two topics in a group, the consumers of the other one crash for good.
 *
 * @returns gives the claim back.
 * @throws {LabError} `INVALID_OPTION`
 */
export function claimGroup(kafka: Kafka, groupId: string, topic: string): () => void {
  const groups = claims.get(kafka) ?? new Map<string, Claim>();
  claims.set(kafka, groups);
  const claim = groups.get(groupId) ?? { topic, members: 0 };
  if (claim.topic !== topic) {
    throw invalidOption(
      "groupId",
      groupId,
      `a group that reads "${topic}" only`,
      `This client has it reading "${claim.topic}". Give each topic a group of its own.`,
    );
  }
  groups.set(groupId, claim);
  claim.members++;
  return () => {
    if (--claim.members === 0) groups.delete(groupId);
  };
}
