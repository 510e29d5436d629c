import { Ledger } from "../../ledger.ts";
import type { Scenario } from "../../scenario.ts";
import { entries } from "../../tools/messages.ts";
import { recorded } from "../../tools/recorded.ts";

export const live: Scenario = {
  name: "delivers what is published while it runs",
  async run(context) {
    const source = await context.createSource();
    const ledger = new Ledger();
    const consumer = await context.consume(source, { handler: recorded(ledger) });
    const all = entries(5, 20);
    for (let from = 0; from < all.length; from += 25) {
      await context.fill(source, all.slice(from, from + 25), ledger);
      await context.until(
        "each batch to be handled",
        () => ledger.complete,
        () => ledger.report(),
      );
    }
    await context.settleUp(ledger, source, consumer);
  },
};
