import type { Scenario } from "../../scenario.ts";
import { restart } from "../../tools/faults.ts";
import { entries } from "../../tools/messages.ts";
import { recorded } from "../../tools/recorded.ts";

export const brokerRestart: Scenario = {
  name: "goes on after a restart of the broker",
  needs: ({ restart }) => restart,
  async run(context) {
    const source = await context.createSource();
    const all = entries(12, 20);
    const ledger = await context.fill(source, all.slice(0, 192));
    const consumer = await context.consume(source, {
      handler: recorded(ledger, () => context.jitter()),
    });
    await context.until(
      "100 messages to be handled",
      () => ledger.done >= 100,
      () => ledger.report(),
    );
    ledger.faultInjected();
    await restart(context);
    await context.fill(source, all.slice(192), ledger);
    await context.settleUp(ledger, source, consumer);
  },
};
