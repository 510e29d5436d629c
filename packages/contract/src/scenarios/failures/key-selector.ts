import assert from "node:assert/strict";
import type { Scenario } from "../../scenario.ts";
import { deadLetterBox } from "../../tools/dead-letters.ts";
import { entries, entryOf, keyOfEntry } from "../../tools/messages.ts";
import { recorded } from "../../tools/recorded.ts";

export const keySelector: Scenario = {
  name: "fails only the message whose key selector throws",
  async run(context) {
    const source = await context.createSource();
    const ledger = await context.fill(source, entries(4, 4));
    const box = await deadLetterBox(context, ledger);
    const consumer = await context.consume(source, {
      key: (message) => {
        const key = keyOfEntry(message);
        if (key === "key-2") throw new Error("no key in it");
        return key;
      },
      deadLetter: box.options,
      handler: recorded(ledger, () => context.jitter()),
    });
    await context.settleUp(ledger, source, consumer);
    const { handled, retried } = consumer.stats();
    assert.deepEqual({ handled, retried }, { handled: 12, retried: 0 });
    for (const letter of await box.read(4)) {
      assert.equal(letter.reason, "KEY_SELECTOR_FAILED");
      assert.equal(entryOf(letter).key, "key-2");
      assert.match(letter.error, /no key in it/);
    }
  },
};
