import assert from "node:assert/strict";
import type { ScenarioContext } from "../../context.ts";
import type { Scenario } from "../../scenario.ts";
import { Barrier } from "../../tools/gate.ts";
import { entries } from "../../tools/messages.ts";
import { recorded } from "../../tools/recorded.ts";

export const fewerLanesThanWindow: Scenario = {
  name: "runs fewer lanes than the window",
  run: (context) => reaches(context, { lanes: 3, window: 24, parallel: 3 }),
};

export const moreLanesThanWindow: Scenario = {
  name: "runs more lanes than the window",
  run: (context) => reaches(context, { lanes: 16, window: 4, parallel: 4 }),
};

export const everyLane: Scenario = {
  name: "fills every lane when there are keys enough",
  run: (context) => reaches(context, { lanes: 32, window: 64, parallel: 32 }),
};

/** Exactly `parallel` handlers run at once: so many meet at a barrier, and never is there one more. */
async function reaches(
  context: ScenarioContext,
  { lanes, window, parallel }: { lanes: number; window: number; parallel: number },
): Promise<void> {
  const source = await context.createSource();
  // Each message has a key of its own: which of them fill the window is the broker's to say.
  const ledger = await context.fill(source, entries(parallel * 6, 1));
  const barrier = new Barrier(parallel);
  context.defer(() => barrier.open());
  let most = 0;
  const consumer = await context.consume(source, {
    lanes,
    window,
    handler: recorded(ledger, async () => {
      most = Math.max(most, ledger.running);
      await barrier.pass();
      await context.jitter();
    }),
  });
  await context.until(
    `${parallel} handlers to run at once`,
    () => barrier.met,
    () => `${ledger.running} running`,
  );
  await context.settleUp(ledger, source, consumer);
  assert.equal(most, parallel, "handlers at once");
  assert.ok(consumer.stats().maxUnsettled <= window, "unsettled deliveries at once");
}
