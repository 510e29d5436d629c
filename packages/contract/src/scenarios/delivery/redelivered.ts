import assert from "node:assert/strict";
import type { Scenario } from "../../scenario.ts";
import { cut } from "../../tools/faults.ts";
import { entries } from "../../tools/messages.ts";

export const redelivered: Scenario = {
  name: "marks what comes again as redelivered",
  needs: ({ redelivered }) => redelivered,
  async run(context) {
    const { nack, cut: canCut, resumes } = context.capabilities;
    const source = await context.createSource();
    await context.fill(source, entries(1, 1));
    const first = await context.tap(source, 1);
    await context.arrivals(first.tap, 1);
    assert.equal(first.tap.deliveries[0]?.redelivered, false, "the first arrival");
    await context.within("close", first.subscription.close());

    const { tap, subscription } = await context.tap(source, 1);
    await context.arrivals(tap, 1);
    const reasons = ["a close"];
    if (nack) {
      tap.deliveries[0]?.settle("nack");
      reasons.push("a nack");
      await context.arrivals(tap, reasons.length);
    }
    if (canCut === true && !resumes) {
      await cut(context);
      reasons.push("a cut");
      await context.arrivals(tap, reasons.length);
    }
    for (const [index, reason] of reasons.entries()) {
      assert.equal(tap.deliveries[index]?.redelivered, true, `the arrival after ${reason}`);
    }
    tap.deliveries.at(-1)?.settle("ack");
    await context.within("close", subscription.close());
    assert.equal(await source.purge(), 0, "messages left at the broker");
  },
};
