import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { PublishError, type Publisher } from "@lab/core";
import type { ScenarioContext } from "../../context.ts";
import type { TestSource } from "../../rig.ts";
import type { Scenario } from "../../scenario.ts";
import { cut } from "../../tools/faults.ts";
import { type Entry, entries, nameOf, outgoing } from "../../tools/messages.ts";

export const publishAcrossCut: Scenario = {
  name: "loses no message that it confirms across a cut",
  needs: ({ cut }) => cut,
  async run(context) {
    const source = await context.createSource();
    const publisher = await context.publisher();
    const all = entries(1, 200);
    for (let from = 0; from < all.length; from += 20) {
      const publishing = publishUntilConfirmed(
        context,
        publisher,
        source,
        all.slice(from, from + 20),
      );
      if (from % 60 === 20) await cut(context);
      await publishing;
    }
    const { tap, subscription } = await context.tap(source, 50);
    const arrived = new Set<string>();
    tap.onDelivery = (delivery) => delivery.settle("ack");
    for (const delivery of [...tap.deliveries]) delivery.settle("ack");
    await context.until(
      "every confirmed message",
      () => {
        for (const name of tap.names) arrived.add(name);
        return arrived.size === all.length;
      },
      () => `${all.filter((entry) => !arrived.has(nameOf(entry))).map(nameOf)} missing`,
    );
    await context.within("close", subscription.close());
    await source.purge(); // What was published again may have arrived twice.
  },
};

/** Publishes again what a `PublishError` names, as its message says. */
async function publishUntilConfirmed(
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
