import assert from "node:assert/strict";
import type { ScenarioContext } from "../../context.ts";
import type { Scenario } from "../../scenario.ts";
import { publishError } from "../../tools/errors.ts";
import { refusedDestination, refusedMessage } from "../../tools/faults.ts";
import { entries, outgoing } from "../../tools/messages.ts";

export const allRefused: Scenario = {
  name: "names every message when publishing fails",
  needs: ({ refusedDestination }) => refusedDestination,
  async run(context) {
    const source = await context.createSource();
    const publisher = await context.publisher();
    const batch = good(context);
    const refusal = publisher.publish(refusedDestination(context), batch);
    const error = await publishError(context, refusal);
    assert.deepEqual(
      error.failures.map(({ index }) => index),
      [0, 1, 2],
    );
    await context.within("a good publish", publisher.publish(source.destination, batch));
    assert.equal(await source.purge(), 3, "a refusal must not spoil the publisher");
  },
};

export const partlyRefused: Scenario = {
  name: "confirms the good messages around one that fails",
  needs: ({ refusedMessage }) => refusedMessage,
  async run(context) {
    const source = await context.createSource();
    const publisher = await context.publisher();
    const [first, second, third] = good(context);
    assert.ok(first !== undefined && second !== undefined && third !== undefined);
    const batch = [first, second, refusedMessage(context), third];
    const error = await publishError(context, publisher.publish(source.destination, batch));
    assert.deepEqual(
      error.failures.map(({ index }) => index),
      [2],
    );
    assert.ok(error.failures[0]?.error.message, "why it failed");
    const { tap, subscription } = await context.tap(source, 4);
    await context.arrivals(tap, 3, "the good messages");
    assert.deepEqual(tap.names, ["key-0/0", "key-0/1", "key-0/2"]);
    for (const delivery of tap.deliveries) delivery.settle("ack");
    await context.within("close", subscription.close());
    assert.equal(await source.purge(), 0, "messages left at the broker");
  },
};

function good(context: ScenarioContext): ReturnType<typeof outgoing>[] {
  return entries(1, 3).map((entry) => outgoing(entry, context.capabilities.keys));
}
