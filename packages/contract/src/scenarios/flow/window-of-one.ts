import assert from "node:assert/strict";
import type { Scenario } from "../../scenario.ts";
import { entries } from "../../tools/messages.ts";
import { recorded } from "../../tools/recorded.ts";

export const windowOfOne: Scenario = {
  name: "works with a window of one",
  async run(context) {
    const source = await context.createSource();
    const ledger = await context.fill(source, entries(4, 5));
    let most = 0;
    const consumer = await context.consume(source, {
      window: 1,
      lanes: 4,
      handler: recorded(ledger, async () => {
        most = Math.max(most, ledger.running);
        await context.jitter();
      }),
    });
    await context.settleUp(ledger, source, consumer);
    assert.equal(most, 1, "handlers at once");
    assert.equal(consumer.stats().maxUnsettled, 1, "unsettled deliveries at once");
  },
};
