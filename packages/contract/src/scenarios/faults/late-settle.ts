import assert from "node:assert/strict";
import type { Scenario } from "../../scenario.ts";
import { labError } from "../../tools/errors.ts";
import { cut } from "../../tools/faults.ts";
import { entries } from "../../tools/messages.ts";

export const lateSettle: Scenario = {
  name: "does not settle on the session after a cut what was delivered before it",
  needs: ({ cut }) => cut,
  appliesTo: ({ resumes }) => !resumes,
  async run(context) {
    const source = await context.createSource();
    await context.fill(source, entries(1, 3));
    const { tap, subscription } = await context.tap(source, 3);
    await context.arrivals(tap, 3);
    const before = [...tap.deliveries];
    await cut(context);
    await context.until(
      "the session to end and its deliveries to come again",
      () => tap.deliveries.length >= 6 && tap.endedSessions.length > 0,
      () => `${tap.deliveries.length} deliveries, ${tap.endedSessions.length} ended sessions`,
    );
    for (const { session } of before) {
      assert.equal(session.ended, true, "the session before the cut must have ended");
      assert.throws(() => session.signal.throwIfAborted(), labError("SESSION_ENDED"));
    }
    for (const delivery of before) assert.equal(delivery.settle("ack"), "stale");
    await context.within("close", subscription.close());
    assert.equal(await source.purge(), 3, "stale settles must not reach the broker");
  },
};

export const closeWhileCut: Scenario = {
  name: "closes while its connection is cut",
  needs: ({ cut }) => cut,
  async run(context) {
    const source = await context.createSource();
    await context.fill(source, entries(1, 3));
    const { tap, subscription } = await context.tap(source, 3);
    await context.arrivals(tap, 3);
    const isCut = cut(context);
    await context.within("close", Promise.all([subscription.close(), subscription.close()]));
    await isCut;
    for (const delivery of tap.deliveries) assert.equal(delivery.settle("ack"), "stale");
    assert.equal(await source.purge(), 3, "unsettled messages must be at the broker");
  },
};
