import assert from "node:assert/strict";
import { Ledger } from "../../ledger.ts";
import type { Scenario } from "../../scenario.ts";
import { deadLetterBox } from "../../tools/dead-letters.ts";
import { entryOf } from "../../tools/messages.ts";

const failures: Record<string, () => unknown> = {
  throws: () => {
    throw new Error("thrown at once");
  },
  rejects: () => Promise.reject(new Error("rejected later")),
  text: () => {
    throw "no Error at all";
  },
};

const texts: Record<string, string> = {
  throws: "thrown at once",
  rejects: "rejected later",
  text: "no Error at all",
};

export const failingHandler: Scenario = {
  name: "treats a handler that throws like one that rejects",
  async run(context) {
    const source = await context.createSource();
    const kinds = Object.keys(failures);
    const ledger = await context.fill(
      source,
      [0, 1].flatMap((seq) => kinds.map((key) => ({ key, seq }))),
      new Ledger(),
    );
    const box = await deadLetterBox(context, ledger);
    const consumer = await context.consume(source, {
      retry: { attempts: 2, base: 1 },
      deadLetter: box.options,
      handler: ({ key, seq }) => {
        ledger.start(key, seq);
        if (seq === 1) {
          ledger.succeed(key, seq);
          return;
        }
        ledger.fail(key, seq);
        return failures[key]?.();
      },
    });
    await context.settleUp(ledger, source, consumer);
    const { failed, retried, deadLettered, handled } = consumer.stats();
    assert.deepEqual(
      { failed, retried, deadLettered, handled },
      { failed: 6, retried: 3, deadLettered: 3, handled: 3 },
    );
    for (const letter of await box.read(3)) {
      assert.equal(letter.reason, "HANDLER_FAILED");
      assert.equal(letter.attempts, 2);
      const { key } = entryOf(letter);
      assert.ok(letter.error.includes(texts[key] ?? "?"), `error of ${key}: ${letter.error}`);
    }
  },
};
