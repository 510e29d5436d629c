import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Scenario } from "../../scenario.ts";
import { entries } from "../../tools/messages.ts";
import { recorded } from "../../tools/recorded.ts";

export const keepAlive: Scenario = {
  name: "outlasts the keep-alive with a long handler and a full window",
  needs: ({ keepAliveMs }) => typeof keepAliveMs === "number" || keepAliveMs,
  async run(context) {
    const keepAliveMs = Number(context.capabilities.keepAliveMs);
    const source = await context.createSource();
    const ledger = await context.fill(source, entries(4, 3));
    const consumer = await context.consume(source, {
      lanes: 2,
      window: 2,
      tuning: { keepAliveMs },
      handler: recorded(ledger, async ({ seq }, { signal }) => {
        if (seq === 0) await sleep(2.5 * keepAliveMs, undefined, { signal });
      }),
    });
    await context.settleUp(ledger, source, consumer);
    assert.equal(consumer.stats().staleSettles, 0, "stale settles");
    assert.ok(
      !context.watch.states.includes("reconnecting"),
      `the connection was lost: ${context.watch.states}`,
    );
  },
};
