import type { ConsumerFlow } from "./consumer-flow.ts";
import type { Spooled } from "./message.ts";
import { Shelf } from "./shelf.ts";

/** A part of a queue whose messages go to one consumer at a time; a queue without partitions has one that all share. */
export class Partition {
  readonly shelf: Shelf = new Shelf();
  /** Delivered and not acknowledged. */
  readonly unacked: Set<Spooled> = new Set();
  owner: ConsumerFlow | undefined;
  /** Who gets it as soon as the owner has nothing of it in hand any more. */
  heir: ConsumerFlow | undefined;
  handoff: NodeJS.Timeout | undefined;

  give(flow: ConsumerFlow | undefined): void {
    clearTimeout(this.handoff);
    this.owner = flow;
    this.heir = undefined;
  }
}

/** The place of a key: FNV-1a with a final mix. Which hash Solace's brokers use is not published. */
export function partitionOfKey(key: string, partitions: number): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(key)) hash = Math.imul(hash ^ byte, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return ((hash ^ (hash >>> 13)) >>> 0) % partitions;
}

/**
 * Gives every partition to one of `flows`, evenly, and leaves it where it is if that is even enough. Says which flow each
 * is to have, in the order of the partitions.
 */
export function evenly(
  partitions: readonly Partition[],
  flows: readonly ConsumerFlow[],
): (ConsumerFlow | undefined)[] {
  const held = new Map(flows.map((flow) => [flow, 0]));
  const most = Math.ceil(partitions.length / flows.length);
  const keep = (flow: ConsumerFlow | undefined): ConsumerFlow | undefined => {
    const count = flow === undefined ? undefined : held.get(flow);
    if (flow === undefined || count === undefined || count >= most) return undefined;
    held.set(flow, count + 1);
    return flow;
  };
  const kept = partitions.map(({ heir, owner }) => keep(heir ?? owner));
  return kept.map((flow) => {
    if (flow !== undefined || flows.length === 0) return flow;
    const [least] = [...held.entries()].sort(([, a], [, b]) => a - b)[0] as [ConsumerFlow, number];
    return keep(least);
  });
}
