import assert from "node:assert/strict";
import type { Scenario } from "../../scenario.ts";
import { entries } from "../../tools/messages.ts";
import { recorded } from "../../tools/recorded.ts";

export const backlog: Scenario = {
  name: "delivers a backlog whole",
  async run(context) {
    const source = await context.createSource();
    const ledger = await context.fill(source, entries(20, 20));
    const redelivered: string[] = [];
    const consumer = await context.consume(source, {
      handler: recorded(ledger, ({ key, seq }, { delivery }) => {
        if (delivery.redelivered) redelivered.push(`${key}/${seq}`);
      }),
    });
    await context.settleUp(ledger, source, consumer);
    assert.deepEqual(redelivered, [], "first arrivals were marked as redelivered");
    const { received, handled, staleSettles, settleFailures } = consumer.stats();
    assert.deepEqual(
      { received, handled, staleSettles, settleFailures },
      { received: 400, handled: 400, staleSettles: 0, settleFailures: 0 },
    );
  },
};
