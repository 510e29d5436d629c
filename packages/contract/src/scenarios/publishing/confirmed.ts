import assert from "node:assert/strict";
import { Ledger } from "../../ledger.ts";
import type { Scenario } from "../../scenario.ts";
import { restart } from "../../tools/faults.ts";
import { entries, outgoing } from "../../tools/messages.ts";
import { recorded } from "../../tools/recorded.ts";

export const confirmed: Scenario = {
  name: "confirms batches of none, one and many, in order",
  async run(context) {
    const source = await context.createSource();
    const publisher = await context.publisher();
    const ledger = new Ledger();
    const all = entries(1, 301);
    for (const batch of [[], all.slice(0, 1), all.slice(1)]) {
      for (const { key } of batch) ledger.publish(key);
      await context.within(
        `the confirmation of ${batch.length}`,
        publisher.publish(
          source.destination,
          batch.map((entry) => outgoing(entry, context.capabilities.keys)),
        ),
      );
    }
    const consumer = await context.consume(source, { handler: recorded(ledger) });
    await context.settleUp(ledger, source, consumer);
  },
};

export const confirmsBeforeClose: Scenario = {
  name: "confirms what is in flight before the publisher closes",
  async run(context) {
    const source = await context.createSource();
    const publisher = await context.publisher();
    const all = entries(1, 50).map((entry) => outgoing(entry, context.capabilities.keys));
    const inFlight = publisher.publish(source.destination, all);
    await context.within("close", Promise.all([publisher.close(), publisher.close()]));
    await context.within("the confirmation", inFlight);
    await assert.rejects(
      context.within("the refusal", publisher.publish(source.destination, all)),
      "a closed publisher must refuse",
    );
    assert.equal(await source.purge(), 50, "messages at the broker");
  },
};

export const confirmedSurvives: Scenario = {
  name: "keeps what is confirmed through a restart of the broker",
  needs: ({ restart }) => restart,
  async run(context) {
    const source = await context.createSource();
    const ledger = await context.fill(source, entries(5, 20));
    await restart(context);
    const consumer = await context.consume(source, { handler: recorded(ledger) });
    await context.settleUp(ledger, source, consumer);
  },
};
