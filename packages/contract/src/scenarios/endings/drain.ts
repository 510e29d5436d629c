import assert from "node:assert/strict";
import type { Scenario } from "../../scenario.ts";
import { Gate } from "../../tools/gate.ts";
import { entries } from "../../tools/messages.ts";
import { recorded } from "../../tools/recorded.ts";

export const drainInTime: Scenario = {
  name: "drains work in hand in time",
  async run(context) {
    const source = await context.createSource();
    const ledger = await context.fill(source, entries(8, 10));
    const gate = new Gate();
    context.defer(() => gate.open());
    const drained = await context.consume(source, {
      handler: recorded(ledger, async () => {
        await gate.pass();
        await context.jitter();
      }),
    });
    await context.until(
      "a full window with a handler in every lane",
      () => gate.arrived === 8 && drained.stats().unsettled === 32,
      () => `${gate.arrived} handlers, ${drained.stats().unsettled} unsettled`,
    );
    const results = Promise.all([drained.drain({ timeout: context.deadline }), drained.drain()]);
    const disposed = Promise.resolve(drained[Symbol.asyncDispose]());
    await context.quiet();
    gate.open();
    for (const result of await context.within("the drain", results)) {
      assert.deepEqual(result, { complete: true, left: 0 });
    }
    await context.within("the disposal to join the drain", disposed);
    await context.within("closed", drained.closed);
    assert.equal(ledger.done, 32, "messages handled: all in hand, and none that came later");

    const next = await context.consume(source, { handler: recorded(ledger) });
    await context.settleUp(ledger, source, next);
  },
};

export const drainPastTime: Scenario = {
  name: "leaves to the broker what outlasts the drain",
  async run(context) {
    const source = await context.createSource();
    const ledger = await context.fill(source, entries(8, 4));
    const gate = new Gate();
    const drained = await context.consume(source, {
      handler: recorded(ledger, (_entry, { signal }) => gate.pass(signal)),
    });
    await context.until(
      "a full window with a handler in every lane",
      () => gate.arrived === 8 && drained.stats().unsettled === 32,
      () => `${gate.arrived} handlers, ${drained.stats().unsettled} unsettled`,
    );
    const result = await context.within("the drain", drained.drain({ timeout: 20 }));
    assert.deepEqual(result, { complete: false, left: 32 });
    await context.until(
      "the signal of each handler in hand to abort",
      () => ledger.running === 0,
      () => `${ledger.running} running`,
    );
    const next = await context.consume(source, { handler: recorded(ledger) });
    await context.settleUp(ledger, source, next);
  },
};
