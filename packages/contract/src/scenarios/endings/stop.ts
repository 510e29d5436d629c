import assert from "node:assert/strict";
import type { Scenario } from "../../scenario.ts";
import { Gate } from "../../tools/gate.ts";
import { entries } from "../../tools/messages.ts";
import { recorded } from "../../tools/recorded.ts";

export const stop: Scenario = {
  name: "stops at once and leaves the rest to the broker",
  async run(context) {
    const source = await context.createSource();
    const ledger = await context.fill(source, entries(8, 8));
    const gate = new Gate();
    const stopped = await context.consume(source, {
      handler: recorded(ledger, (_entry, { signal }) => gate.pass(signal)),
    });
    await context.until(
      "a full window with a handler in every lane",
      () => gate.arrived === 8 && stopped.stats().unsettled === 32,
      () => `${gate.arrived} handlers, ${stopped.stats().unsettled} unsettled`,
    );
    const results = Promise.all([stopped.stop(), stopped.stop(), stopped.drain()]);
    for (const result of await context.within("the stop", results)) {
      assert.deepEqual(result, { complete: false, left: 32 });
    }
    await context.within("closed", stopped.closed);
    await context.until(
      "the signal of each handler in hand to abort",
      () => ledger.running === 0,
      () => `${ledger.running} running`,
    );
    assert.equal(gate.arrived, 8, "handlers started");
    const next = await context.consume(source, { handler: recorded(ledger) });
    await context.settleUp(ledger, source, next);
  },
};
