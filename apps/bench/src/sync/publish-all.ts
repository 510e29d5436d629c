import type { Publisher } from "@lab/core";
import type { Change } from "./change.ts";

/** A batch whose messages have topics of their own. */
export async function publishAll(publisher: Publisher, changes: readonly Change[]): Promise<void> {
  await Promise.all(changes.map(({ topic, body }) => publisher.publish(topic, [{ body }])));
}
