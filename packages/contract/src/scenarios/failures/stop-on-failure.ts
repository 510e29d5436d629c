import assert from "node:assert/strict";
import type { Scenario } from "../../scenario.ts";
import { labError } from "../../tools/errors.ts";
import { Gate } from "../../tools/gate.ts";
import { entries } from "../../tools/messages.ts";
import { recorded } from "../../tools/recorded.ts";

export const stopOnFailure: Scenario = {
  name: "stops on a failure and loses nothing",
  async run(context) {
    const source = await context.createSource();
    const ledger = await context.fill(source, entries(2, 10));
    const subscribed = new Gate(); // A failure before that would be `consume`'s own.
    const failing = await context.consume(source, {
      lanes: 1,
      mayFail: true,
      retry: { attempts: 2, base: 1 },
      onFailure: "stop",
      handler: recorded(ledger, async ({ key, seq }) => {
        if (key !== "key-1" || seq !== 4) return;
        await subscribed.pass();
        throw new Error("cannot go on");
      }),
    });
    subscribed.open();
    await assert.rejects(
      context.within("the consumer to end", failing.closed),
      labError("HANDLER_FAILED", "cannot go on"),
    );
    assert.ok(!ledger.complete, "the message that failed cannot be done");
    // What was settled behind the failed message could not be told to a broker that wants the order received.
    if (context.capabilities.settles !== "individually") ledger.faultInjected();
    const next = await context.consume(source, { handler: recorded(ledger) });
    await context.settleUp(ledger, source, next);
  },
};

export const rejectOnFailure: Scenario = {
  name: "rejects what cannot be handled, and goes on with its key",
  needs: ({ reject }) => reject || "`reject` is declared false; its refusal is tested instead",
  async run(context) {
    const source = await context.createSource();
    const ledger = await context.fill(source, entries(4, 6));
    const consumer = await context.consume(source, {
      retry: { attempts: 1 },
      onFailure: "reject",
      handler: recorded(ledger, ({ key, seq }) => {
        if (seq !== 2) return;
        ledger.deadLetter(key, seq);
        throw new Error("will never be done");
      }),
    });
    await context.settleUp(ledger, source, consumer);
    const { rejected, handled } = consumer.stats();
    assert.deepEqual({ rejected, handled }, { rejected: 4, handled: 20 });
  },
};

export const rejectOnFailureRefused: Scenario = {
  name: "refuses to consume with rejects where there are none",
  appliesTo: ({ reject }) => !reject,
  async run(context) {
    const source = await context.createSource();
    await assert.rejects(
      context.consume(source, { onFailure: "reject", handler: () => {} }),
      labError("INVALID_OPTION", "onFailure"),
    );
  },
};
