import { Ledger } from "../../ledger.ts";
import type { Scenario } from "../../scenario.ts";
import { Barrier } from "../../tools/gate.ts";
import { entries, outgoing } from "../../tools/messages.ts";

export const unordered: Scenario = {
  name: "runs messages without a key side by side",
  async run(context) {
    const source = await context.createSource();
    const all = entries(1, 12);
    await context.publish(
      source,
      all.map((entry) => outgoing(entry, context.capabilities.keys)),
    );
    // Each message is a key of its own to the ledger: their order is not to be kept.
    const ledger = new Ledger();
    for (const { seq } of all) ledger.publish(`message-${seq}`);
    const barrier = new Barrier(6);
    context.defer(() => barrier.open());
    const consumer = await context.consume(source, {
      key: () => undefined,
      lanes: 6,
      window: 12,
      handler: async ({ seq }) => {
        ledger.start(`message-${seq}`, 0);
        await barrier.pass();
        ledger.succeed(`message-${seq}`, 0);
      },
    });
    await context.until(
      "6 handlers of messages without a key to run at once",
      () => barrier.met,
      () => `${ledger.running} running`,
    );
    await context.settleUp(ledger, source, consumer);
  },
};
