import assert from "node:assert/strict";
import type { Scenario } from "../../scenario.ts";
import { entries } from "../../tools/messages.ts";
import { shuffled } from "../../tools/random.ts";

export const settleOutOfOrder: Scenario = {
  name: "takes settles in any order",
  async run(context) {
    const source = await context.createSource();
    await context.fill(source, entries(5, 4));
    const { tap, subscription } = await context.tap(source, 20);
    await context.arrivals(tap, 20);
    for (const delivery of shuffled(tap.deliveries, context.random)) {
      assert.equal(delivery.settle("ack"), "settled");
    }
    await context.within("close", subscription.close());
    assert.equal(await source.purge(), 0, "settled messages were still at the broker");
  },
};
