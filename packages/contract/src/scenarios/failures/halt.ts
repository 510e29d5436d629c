import assert from "node:assert/strict";
import type { Scenario } from "../../scenario.ts";
import { entries } from "../../tools/messages.ts";
import { recorded } from "../../tools/recorded.ts";

export const halt: Scenario = {
  name: "halts a key and lets the others go on",
  async run(context) {
    const source = await context.createSource();
    const ledger = await context.fill(source, entries(4, 6));
    const halted = await context.consume(source, {
      window: 24,
      retry: { attempts: 2, base: 1 },
      onFailure: "halt",
      handler: recorded(ledger, async ({ key, seq }) => {
        await context.jitter();
        if (key === "key-0" && seq === 2) throw new Error("cannot be handled yet");
      }),
    });
    await context.until(
      "the key to halt and all others to be handled",
      () => halted.stats().halted === 1 && ledger.done === 20,
      () => ledger.report(),
    );
    await context.quiet();
    const { failed, handled, unsettled } = halted.stats();
    assert.deepEqual({ failed, handled, unsettled }, { failed: 2, handled: 20, unsettled: 4 });
    const result = await context.within("the drain", halted.drain({ timeout: context.deadline }));
    assert.deepEqual(result, { complete: false, left: 4 });

    // What was settled behind the halted message could not be told to a broker that wants the order received.
    if (context.capabilities.settles !== "individually") ledger.faultInjected();
    const next = await context.consume(source, { handler: recorded(ledger) });
    await context.settleUp(ledger, source, next);
  },
};
