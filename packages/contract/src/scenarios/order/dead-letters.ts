import assert from "node:assert/strict";
import type { Scenario } from "../../scenario.ts";
import { deadLetterBox } from "../../tools/dead-letters.ts";
import { entries, entryOf, nameOf } from "../../tools/messages.ts";
import { recorded } from "../../tools/recorded.ts";

export const orderUnderDeadLetters: Scenario = {
  name: "keeps key order while messages are dead-lettered",
  async run(context) {
    const source = await context.createSource();
    const all = entries(8, 10);
    const poisoned = new Set(all.filter(() => context.random() < 0.2).map(nameOf));
    const ledger = await context.fill(source, all);
    const box = await deadLetterBox(context, ledger);
    const consumer = await context.consume(source, {
      retry: { attempts: 2, base: 1 },
      deadLetter: box.options,
      handler: recorded(ledger, async (entry) => {
        await context.jitter();
        if (poisoned.has(nameOf(entry))) throw new Error("poisoned");
      }),
    });
    await context.settleUp(ledger, source, consumer);
    assert.equal(consumer.stats().deadLettered, poisoned.size);
    const letters = await box.read(poisoned.size);
    const names = letters.map((letter) => nameOf(entryOf(letter)));
    assert.deepEqual(new Set(names), poisoned, "what was dead-lettered");
  },
};
