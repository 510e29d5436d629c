import assert from "node:assert/strict";
import type { Scenario } from "../../scenario.ts";
import { entries, nameOf } from "../../tools/messages.ts";
import { recorded } from "../../tools/recorded.ts";

export const orderUnderRetries: Scenario = {
  name: "keeps key order while messages are retried",
  async run(context) {
    const source = await context.createSource();
    const all = entries(10, 10);
    const ledger = await context.fill(source, all);
    const failures = new Map(all.map((entry) => [nameOf(entry), Math.floor(context.random() * 3)]));
    const attempts = new Map<string, number[]>();
    const consumer = await context.consume(source, {
      retry: { attempts: 3, base: 1 },
      handler: recorded(ledger, async (entry, { attempt }) => {
        const name = nameOf(entry);
        attempts.set(name, [...(attempts.get(name) ?? []), attempt]);
        await context.jitter();
        if (attempt <= (failures.get(name) ?? 0)) throw new Error(`attempt ${attempt} fails`);
      }),
    });
    await context.settleUp(ledger, source, consumer);
    let failed = 0;
    for (const [name, planned] of failures) {
      failed += planned;
      assert.deepEqual(attempts.get(name), [1, 2, 3].slice(0, planned + 1), `attempts of ${name}`);
    }
    const { failed: counted, retried, handled } = consumer.stats();
    assert.deepEqual(
      { failed: counted, retried, handled },
      { failed, retried: failed, handled: 100 },
    );
  },
};
