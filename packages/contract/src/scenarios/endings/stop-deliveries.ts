import assert from "node:assert/strict";
import type { Scenario } from "../../scenario.ts";
import { entries } from "../../tools/messages.ts";

export const stopDeliveries: Scenario = {
  name: "settles after deliveries have stopped",
  async run(context) {
    const source = await context.createSource();
    await context.fill(source, entries(1, 20));
    const { tap, subscription } = await context.tap(source, 5);
    await context.arrivals(tap, 5);
    await context.within("stop", Promise.all([subscription.stop(), subscription.stop()]));
    for (const delivery of tap.deliveries) assert.equal(delivery.settle("ack"), "settled");
    await context.quiet();
    assert.equal(tap.deliveries.length, 5, "deliveries after stop");
    await context.within("close", Promise.all([subscription.close(), subscription.close()]));
    await context.within("a stop after close", subscription.stop());
    assert.equal(await source.purge(), 15, "messages left at the broker");
  },
};
