import type { Scenario } from "../../scenario.ts";
import { cut } from "../../tools/faults.ts";
import { entries } from "../../tools/messages.ts";
import { recorded } from "../../tools/recorded.ts";

export const cutUnderLoad: Scenario = {
  name: "keeps key order through repeated cuts under load",
  needs: ({ cut }) => cut,
  async run(context) {
    const source = await context.createSource();
    const ledger = await context.fill(source, entries(12, 25));
    const consumer = await context.consume(source, {
      handler: recorded(ledger, () => context.jitter()),
    });
    for (const mark of [50, 120, 190]) {
      await context.until(
        `${mark} messages to be handled`,
        () => ledger.done >= mark,
        () => ledger.report(),
      );
      ledger.faultInjected();
      await cut(context);
    }
    await context.settleUp(ledger, source, consumer);
  },
};
