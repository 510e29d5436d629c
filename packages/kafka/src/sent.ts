import type { Batch } from "@lab/core/adapter";
import type { OutgoingRecord } from "./outgoing.ts";

/** The next message to send. */
export interface Next {
  readonly batch: Batch;
  readonly index: number;
}

/** A message that is being sent. */
export interface Sent extends Next {
  readonly record: OutgoingRecord;
}

/**
 * By partition, as those of one are taken or refused together. What was taken the first time is sent as it was then, so
 * that the brokers know it again. Those of one partition in halves.
 */
export function divided(part: readonly Sent[]): readonly (readonly Sent[])[] {
  const byPartition = new Map<number | undefined, Sent[]>();
  for (const sent of part) {
    const { partition } = sent.record;
    const others = byPartition.get(partition);
    if (others === undefined) byPartition.set(partition, [sent]);
    else others.push(sent);
  }
  if (byPartition.size > 1) return [...byPartition.values()];
  const middle = part.length >> 1;
  return [part.slice(0, middle), part.slice(middle)];
}
