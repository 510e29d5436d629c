import assert from "node:assert/strict";
import type { Message } from "@lab/core";
import { Ledger } from "../../ledger.ts";
import type { Scenario } from "../../scenario.ts";
import { deadLetterBox } from "../../tools/dead-letters.ts";
import { outgoing } from "../../tools/messages.ts";

export const deadLetter: Scenario = {
  name: "dead-letters with origin, reason, attempts, error and time",
  async run(context) {
    const { keys, headers } = context.capabilities;
    const source = await context.createSource();
    const ledger = new Ledger();
    const entry = { key: "card", seq: ledger.publish("card") };
    await context.publish(source, [
      { ...outgoing(entry, keys), ...(headers && { headers: { kind: "invoice" } }) },
    ]);
    const box = await deadLetterBox(context, ledger);
    const before = Date.now();
    let message: Message | undefined;
    const consumer = await context.consume(source, {
      retry: { attempts: 3, base: 1 },
      deadLetter: box.options,
      handler: (_entry, { delivery }) => {
        message = delivery.message;
        throw new Error("card declined");
      },
    });
    await context.settleUp(ledger, source, consumer);

    const [letter] = await box.read(1);
    assert.equal(letter?.source, source.source);
    assert.equal(letter?.destination, message?.destination);
    assert.equal(letter?.reason, "HANDLER_FAILED");
    assert.equal(letter?.attempts, 3);
    assert.match(letter?.error ?? "", /card declined/);
    const time = letter?.time.getTime() ?? 0;
    assert.ok(time >= before && time <= Date.now(), `time of the dead letter: ${letter?.time}`);
    assert.equal(letter?.key, message?.key);
    for (const [name, value] of Object.entries(message?.headers ?? {})) {
      assert.equal(letter?.headers[name], value, `header ${name}`);
    }
    assert.deepEqual(Buffer.from(letter?.body ?? []), Buffer.from(message?.body ?? []));
  },
};
