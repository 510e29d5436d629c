import type { Contender } from "./contender.ts";
import { bareAwait, consumeOnMemory, hashedLanes, keyedLanes } from "./own.ts";
import { peers } from "./peers.ts";

/** All that are measured, the floor first. */
export const contenders: readonly Contender[] = [
  bareAwait,
  keyedLanes,
  hashedLanes,
  ...peers,
  consumeOnMemory,
];

export function contenderNamed(name: string): Contender {
  const found = contenders.find((contender) => contender.name === name);
  if (found === undefined) throw new Error(`No contender is named "${name}".`);
  return found;
}
