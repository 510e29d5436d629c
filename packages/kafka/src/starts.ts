import { setTimeout as sleep } from "node:timers/promises";
import { Backoff } from "@lab/core/adapter";
import type { Start } from "./assignment.ts";
import type { GroupClient } from "./client.ts";
import { Completions } from "./offsets/completions.ts";
import type { SubscriberSettings } from "./options.ts";

type Client = Pick<GroupClient, "committed" | "positions">;
type Wanted = Pick<SubscriberSettings, "startFrom" | "completionsInMetadata">;

/** Says whether the client's own choice, the committed offset or else the beginning, is not enough. */
export function needsStarts({ startFrom, completionsInMetadata }: Wanted): boolean {
  return startFrom !== "beginning" || completionsInMetadata;
}

/**
 * Finds out where the partitions of the topic begin for the group; asks again, with back-off, while that fails.
 * Undefined once `signal` has aborted.
 */
export async function findStarts(
  client: Client,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, Start> | undefined> {
  const backoff = new Backoff({ base: 100, cap: 5_000, jitter: 0.5 });
  for (;;) {
    try {
      const starts = await ask(client, wanted);
      return signal.aborted ? undefined : starts;
    } catch {
      await sleep(backoff.next(), undefined, { signal }).catch(() => {});
      if (signal.aborted) return undefined;
    }
  }
}

async function ask(client: Client, { startFrom, completionsInMetadata }: Wanted) {
  const starts = new Map<number, Start>();
  if (startFrom !== "beginning") {
    const at = startFrom === "end" ? startFrom : startFrom.getTime();
    for (const [partition, offset] of await client.positions(at)) starts.set(partition, { offset });
  }
  for (const { partition, offset, metadata } of await client.committed()) {
    const completions = completionsInMetadata ? Completions.decode(offset, metadata) : undefined;
    starts.set(partition, completions === undefined ? {} : { offset, completions });
  }
  return starts;
}
