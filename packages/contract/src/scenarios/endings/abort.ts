import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import type { Scenario } from "../../scenario.ts";
import { Gate } from "../../tools/gate.ts";
import { entries } from "../../tools/messages.ts";
import { recorded } from "../../tools/recorded.ts";
import { Tap } from "../../tools/tap.ts";

export const abortBefore: Scenario = {
  name: "does not start when aborted before",
  async run(context) {
    const source = await context.createSource();
    await context.fill(source, entries(1, 3));
    const reason = new Error("aborted before the start");
    const signal = AbortSignal.abort(reason);
    const subscriber = context.watch.subscriber(source.subscriber());
    const tap = new Tap();
    await assert.rejects(
      context.within("subscribe", subscriber.subscribe(source.source, { window: 3, signal }, tap)),
      reason,
    );
    await assert.rejects(context.consume(source, { signal, handler: () => {} }), reason);
    await context.quiet();
    assert.deepEqual(tap.names, [], "deliveries in spite of the abort");
    assert.equal(await source.purge(), 3, "messages left at the broker");
  },
};

export const abortDuring: Scenario = {
  name: "leaves nothing open when aborted during the start",
  async run(context) {
    const source = await context.createSource();
    const ledger = await context.fill(source, entries(2, 5));
    const subscriber = source.subscriber();
    const watched = context.watch.subscriber(subscriber);
    for (let turns = 0; turns < 12; turns++) {
      const reason = new Error(`aborted after ${turns} turns`);
      const controller = new AbortController();
      const options = { window: 10, signal: controller.signal };
      const subscribing = watched.subscribe(source.source, options, new Tap()).then(
        async (subscription) => {
          assert.ok(turns > 0, "subscribed although the abort came first");
          await subscription.close();
        },
        (error: unknown) => assert.equal(error, reason, "subscribe must reject with the reason"),
      );
      for (let i = 0; i < turns; i++) await turn();
      controller.abort(reason);
      await context.within("subscribe to end", subscribing);
    }
    const next = await context.consume(source, { handler: recorded(ledger) });
    await context.settleUp(ledger, source, next);
  },
};

export const abortAfter: Scenario = {
  name: "stops when aborted while it runs",
  async run(context) {
    const source = await context.createSource();
    const ledger = await context.fill(source, entries(8, 4));
    const gate = new Gate();
    const controller = new AbortController();
    const aborted = await context.consume(source, {
      signal: controller.signal,
      handler: recorded(ledger, (_entry, { signal }) => gate.pass(signal)),
    });
    await context.until(
      "a handler in every lane",
      () => gate.arrived === 8,
      () => `${gate.arrived} handlers`,
    );
    controller.abort();
    await context.within("the consumer to end", aborted.closed);
    await context.until(
      "the signal of each handler in hand to abort",
      () => ledger.running === 0,
      () => `${ledger.running} running`,
    );
    const next = await context.consume(source, { handler: recorded(ledger) });
    await context.settleUp(ledger, source, next);
  },
};
