import assert from "node:assert/strict";
import type { Scenario } from "../../scenario.ts";
import { Gate } from "../../tools/gate.ts";
import { ManualClock } from "../../tools/manual-clock.ts";
import { entries } from "../../tools/messages.ts";
import { recorded } from "../../tools/recorded.ts";

export const slowKey: Scenario = {
  name: "does not let a slow key delay the others",
  async run(context) {
    const source = await context.createSource();
    const ledger = await context.fill(source, entries(4, 6));
    const gate = new Gate();
    context.defer(() => gate.open());
    const consumer = await context.consume(source, {
      lanes: 2,
      window: 24,
      handler: recorded(ledger, ({ key }) => (key === "key-0" ? gate.pass() : undefined)),
    });
    await context.until(
      "the messages of all other keys to be handled",
      () => ledger.done === 18,
      () => ledger.report(),
    );
    assert.equal(gate.arrived, 1, "handlers started for the slow key");
    gate.open();
    await context.settleUp(ledger, source, consumer);
  },
};

export const retryFreesLane: Scenario = {
  name: "holds the key of a retry, not its lane",
  async run(context) {
    const source = await context.createSource();
    const ledger = await context.fill(source, entries(4, 6));
    const clock = new ManualClock();
    const attempts: number[] = [];
    const consumer = await context.consume(source, {
      lanes: 1,
      window: 24,
      clock,
      retry: { attempts: 2, base: 1000, jitter: 0 },
      handler: recorded(ledger, ({ key, seq }, { attempt }) => {
        if (key !== "key-0" || seq !== 0) return;
        attempts.push(attempt);
        if (attempt === 1) throw new Error("fails the first time");
      }),
    });
    await context.until(
      "the messages of all other keys to be handled while one waits for its retry",
      () => ledger.done === 18,
      () => ledger.report(),
    );
    assert.deepEqual(attempts, [1], "no retry before its time, and its key waits");
    clock.advance(1000);
    await context.settleUp(ledger, source, consumer);
    assert.deepEqual(attempts, [1, 2]);
  },
};
