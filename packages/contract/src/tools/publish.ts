import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { PublishError, type Publisher } from "@lab/core";
import type { ScenarioContext } from "../context.ts";
import type { TestSource } from "../rig.ts";
import { type Entry, outgoing } from "./messages.ts";

/** Publishes again what a `PublishError` names, as its message says. */
export async function publishUntilConfirmed(
  context: ScenarioContext,
  publisher: Publisher,
  source: TestSource,
  batch: readonly Entry[],
): Promise<void> {
  const end = performance.now() + context.deadline;
  let left = batch;
  while (left.length > 0) {
    try {
      const messages = left.map((entry) => outgoing(entry, context.capabilities.keys));
      await context.within("publish to end", publisher.publish(source.destination, messages));
      return;
    } catch (error) {
      if (!(error instanceof PublishError) || performance.now() > end) throw error;
      const sent = left;
      left = error.failures.flatMap(({ index }) => sent[index] ?? []);
      assert.ok(left.length > 0, "a PublishError must name messages of the batch");
      await sleep(20);
    }
  }
}
