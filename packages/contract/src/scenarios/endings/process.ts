import type { Scenario } from "../../scenario.ts";
import { cut } from "../../tools/faults.ts";
import { entries } from "../../tools/messages.ts";
import { recorded } from "../../tools/recorded.ts";
import { ResourceWatch } from "../../tools/resources.ts";

export const nothingKeptAlive: Scenario = {
  name: "keeps nothing alive after close",
  async run(context) {
    const source = await context.createSource();
    const resources = new ResourceWatch();
    context.defer(() => resources.stop());
    await resources.run(async () => {
      const ledger = await context.fill(source, entries(4, 5));
      const drained = await context.consume(source, {
        drainTimeout: 10 * context.deadline, // A timer for it must be gone long before it is due.
        handler: recorded(ledger),
      });
      await context.until(
        "every message to be handled",
        () => ledger.complete,
        () => ledger.report(),
      );
      await context.within("the drain", drained.drain());
      await context.settleUp(ledger, source);

      const { subscription } = await context.tap(source, 4);
      await context.within("close", subscription.close());

      if (context.capabilities.cut !== true) return;
      const lost = await context.tap(source, 4);
      const isCut = cut(context);
      await context.within("close", lost.subscription.close());
      await isCut;
    });
    await context.until(
      "every socket and timer to be closed",
      () => resources.alive().length === 0,
      () => resources.alive().join("\n"),
    );
  },
};
