import assert from "node:assert/strict";
import type { Outcome } from "@lab/core";
import type { ScenarioContext } from "../../context.ts";
import type { Scenario } from "../../scenario.ts";
import { labError } from "../../tools/errors.ts";
import { entries } from "../../tools/messages.ts";

export const nack: Scenario = {
  name: "delivers a nacked message again",
  needs: ({ nack }) => nack || "`nack` is declared false; its refusal is tested instead",
  async run(context) {
    const source = await context.createSource();
    await context.fill(source, entries(1, 1));
    const { tap, subscription } = await context.tap(source, 4);
    await context.arrivals(tap, 1);
    assert.equal(tap.deliveries[0]?.settle("nack"), "settled");
    await context.arrivals(tap, 2, "the nacked message to come again");
    assert.equal(tap.deliveries[1]?.settle("ack"), "settled");
    await context.within("close", subscription.close());
    assert.equal(await source.purge(), 0, "messages left at the broker");
  },
};

export const nackRefused: Scenario = {
  name: "refuses a nack and keeps the delivery open",
  appliesTo: ({ nack }) => !nack,
  run: (context) => refused("nack", context),
};

export const reject: Scenario = {
  name: "does not deliver a rejected message again",
  needs: ({ reject }) => reject || "`reject` is declared false; its refusal is tested instead",
  async run(context) {
    const source = await context.createSource();
    await context.fill(source, entries(1, 3));
    const { tap, subscription } = await context.tap(source, 1);
    await context.arrivals(tap, 1);
    tap.onDelivery = (delivery) => delivery.settle("ack");
    assert.equal(tap.deliveries[0]?.settle("reject"), "settled");
    await context.arrivals(tap, 3, "the messages behind the rejected one");
    await context.within("close", subscription.close());
    assert.deepEqual(tap.names, ["key-0/0", "key-0/1", "key-0/2"]);
    assert.equal(await source.purge(), 0, "messages left at the broker");
  },
};

export const rejectRefused: Scenario = {
  name: "refuses a reject and keeps the delivery open",
  appliesTo: ({ reject }) => !reject,
  run: (context) => refused("reject", context),
};

async function refused(outcome: Outcome, context: ScenarioContext): Promise<void> {
  const source = await context.createSource();
  await context.fill(source, entries(1, 1));
  const { tap, subscription } = await context.tap(source, 4);
  await context.arrivals(tap, 1);
  const delivery = tap.deliveries[0];
  assert.throws(() => delivery?.settle(outcome), labError("UNSUPPORTED_OUTCOME"));
  assert.equal(delivery?.settle("ack"), "settled", "the delivery must be open after the refusal");
  await context.within("close", subscription.close());
  assert.equal(await source.purge(), 0, "messages left at the broker");
}
