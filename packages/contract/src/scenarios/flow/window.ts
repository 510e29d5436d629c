import assert from "node:assert/strict";
import type { Scenario } from "../../scenario.ts";
import { entries } from "../../tools/messages.ts";

const WINDOW = 5;
const MESSAGES = 40;

export const windowHeld: Scenario = {
  name: "never exceeds the window, and flows on when it frees",
  async run(context) {
    const source = await context.createSource();
    await context.fill(source, entries(4, MESSAGES / 4));
    const { tap, subscription } = await context.tap(source, WINDOW);
    for (let settled = 0; settled < MESSAGES; settled++) {
      const expected = Math.min(settled + WINDOW, MESSAGES);
      await context.until(
        `${expected} deliveries with ${settled} of them settled`,
        () => tap.deliveries.length >= expected,
        () => tap.deliveries.length,
      );
      if (settled < 2) await context.quiet();
      assert.equal(tap.deliveries.length, expected, `deliveries with ${settled} settled`);
      tap.deliveries[settled]?.settle("ack");
    }
    await context.within("close", subscription.close());
    assert.equal(await source.purge(), 0, "messages left at the broker");
  },
};
