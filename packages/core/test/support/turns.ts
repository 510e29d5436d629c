import { setImmediate as turn } from "node:timers/promises";

/** Lets everything happen that needs no time: a memory broker acts at most two turns after it was asked. */
export async function settled(turns = 5): Promise<void> {
  for (let i = 0; i < turns; i++) await turn();
}
