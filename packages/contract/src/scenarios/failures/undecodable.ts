import assert from "node:assert/strict";
import type { Message } from "@lab/core";
import type { Scenario } from "../../scenario.ts";
import { deadLetterBox } from "../../tools/dead-letters.ts";
import { entries, entryOf } from "../../tools/messages.ts";
import { recorded } from "../../tools/recorded.ts";

const garbage = Buffer.from([0xff, 0x00, 0xfe, 0x7b]);

/** Bytes that are no JSON share the key of the entries around them. */
function key(message: Message): string {
  try {
    return entryOf(message).key;
  } catch {
    return "key-0";
  }
}

export const undecodable: Scenario = {
  name: "dead-letters what cannot be decoded, at once, and goes on",
  async run(context) {
    const source = await context.createSource();
    const all = entries(2, 4);
    const carried = context.capabilities.keys ? { key: "key-0" } : {};
    const ledger = await context.fill(source, all.slice(0, 4));
    await context.publish(source, [{ body: garbage, ...carried }]);
    await context.fill(source, all.slice(4), ledger);
    const box = await deadLetterBox(context, ledger);
    const consumer = await context.consume(source, {
      key,
      retry: { attempts: 5, base: 1 },
      deadLetter: box.options,
      handler: recorded(ledger, () => context.jitter()),
    });
    await context.settleUp(ledger, source, consumer);
    const { deadLettered, retried } = consumer.stats();
    assert.deepEqual({ deadLettered, retried }, { deadLettered: 1, retried: 0 });
    const [letter] = await box.read(1);
    assert.equal(letter?.reason, "DECODE_FAILED");
    assert.equal(letter?.attempts, 1);
    assert.deepEqual(Buffer.from(letter?.body ?? []), garbage);
  },
};

export const asyncDecoding: Scenario = {
  name: "treats a deserializer that rejects like one that throws",
  async run(context) {
    const source = await context.createSource();
    const ledger = await context.fill(source, entries(3, 4));
    const box = await deadLetterBox(context, ledger);
    const consumer = await context.consume(source, {
      deadLetter: box.options,
      deserialize: async (message) => {
        await context.jitter();
        const entry = entryOf(message);
        if (entry.seq === 1) throw new Error("not in the schema");
        return entry;
      },
      handler: recorded(ledger, () => context.jitter()),
    });
    await context.settleUp(ledger, source, consumer);
    for (const { reason, error, attempts } of await box.read(3)) {
      assert.deepEqual({ reason, attempts }, { reason: "DECODE_FAILED", attempts: 1 });
      assert.match(error, /not in the schema/);
    }
  },
};
