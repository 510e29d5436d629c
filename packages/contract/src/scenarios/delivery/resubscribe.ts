import { Ledger } from "../../ledger.ts";
import type { TestSource } from "../../rig.ts";
import type { Scenario } from "../../scenario.ts";
import { entries } from "../../tools/messages.ts";
import { recorded } from "../../tools/recorded.ts";

export const resubscribe: Scenario = {
  name: "subscribes any number of times with one subscriber",
  async run(context) {
    const source = await context.createSource();
    const subscriber = source.subscriber();
    const same: TestSource = { ...source, subscriber: () => subscriber };
    const ledger = new Ledger();
    const all = entries(3, 6);
    for (let from = 0; from < all.length; from += 6) {
      await context.fill(source, all.slice(from, from + 6), ledger);
      const consumer = await context.consume(same, { handler: recorded(ledger) });
      await context.settleUp(ledger, source, consumer);
    }
  },
};
