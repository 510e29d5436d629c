import assert from "node:assert/strict";
import { Ledger } from "../../ledger.ts";
import type { Scenario } from "../../scenario.ts";
import { Barrier } from "../../tools/gate.ts";
import { entries } from "../../tools/messages.ts";
import { recorded } from "../../tools/recorded.ts";

export const twoConsumers: Scenario = {
  name: "shares one source between two consumers",
  needs: ({ competing }) => competing,
  async run(context) {
    const source = await context.createSource();
    const ledger = new Ledger();
    const both = new Barrier(2);
    context.defer(() => both.open());
    const handled = [0, 0];
    const keysOf = [new Set<string>(), new Set<string>()] as const;
    const consumers = [];
    for (const member of [0, 1] as const) {
      // The first message of each member waits until the other has one too.
      const consumer = await context.consume(source, {
        member,
        window: 16,
        handler: recorded(ledger, async ({ key }) => {
          keysOf[member].add(key);
          handled[member] = (handled[member] ?? 0) + 1;
          if (handled[member] === 1) await both.pass();
          await context.jitter();
        }),
      });
      consumers.push(consumer);
    }
    await context.fill(source, entries(41, 5), ledger);
    await context.until(
      "both members to have a message",
      () => both.met,
      () => `${handled} messages`,
    );
    await context.finish(ledger, source, ...consumers);
    const { duplicates, violations, overlaps } = ledger.report();
    assert.equal(duplicates, 0, ledger.findings.join("; "));
    if (context.capabilities.partitions === "key") {
      const atBoth = [...keysOf[0]].filter((key) => keysOf[1].has(key));
      assert.deepEqual(atBoth, [], "keys at both members");
      assert.deepEqual({ violations, overlaps }, { violations: 0, overlaps: 0 });
    }
  },
};

export const handover: Scenario = {
  name: "hands over what a member leaves unsettled",
  needs: ({ handover }) => handover,
  async run(context) {
    const source = await context.createSource();
    const ledger = new Ledger();
    const leaving = await context.tap(source, 10, 0);
    const staying = await context.consume(source, { member: 1, handler: recorded(ledger) });
    await context.fill(source, entries(20, 3), ledger);
    await context.until(
      "the member that leaves to have messages in hand",
      () => leaving.tap.deliveries.length > 0,
      () => leaving.tap.names,
    );
    // A change of members may end the sessions of those that stay.
    if (context.capabilities.partitions === "key") ledger.faultInjected();
    await context.within("close", leaving.subscription.close());
    await context.finish(ledger, source, staying);
    assert.equal(ledger.report().duplicates, 0, ledger.findings.join("; "));
  },
};
