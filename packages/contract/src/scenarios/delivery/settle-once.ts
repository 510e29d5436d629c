import assert from "node:assert/strict";
import type { Scenario } from "../../scenario.ts";
import { entries } from "../../tools/messages.ts";

export const settleOnce: Scenario = {
  name: "settles a delivery once, and late ones not at all",
  async run(context) {
    const source = await context.createSource();
    await context.fill(source, entries(1, 2));
    const { tap, subscription } = await context.tap(source, 2);
    await context.arrivals(tap, 2);
    const [done, late] = tap.deliveries;
    assert.equal(done?.settle("ack"), "settled");
    assert.equal(done?.settle("ack"), "repeated", "a second ack must do nothing");
    await context.within("close", subscription.close());
    assert.equal(done?.settle("ack"), "repeated", "a second ack after the end");
    assert.equal(late?.settle("ack"), "stale", "an ack after the session ended must not count");
    assert.equal(late?.session.signal.aborted, true, "the session's signal");
    assert.equal(await source.purge(), 1, "messages left at the broker");
  },
};
