import type { Dispatch } from "@lab/core";
import type { Scenario } from "../../scenario.ts";
import { entries } from "../../tools/messages.ts";
import { recorded } from "../../tools/recorded.ts";

function underRandomDelays(dispatch: Dispatch): Scenario {
  return {
    name: `keeps key order under random delays with ${dispatch} dispatch`,
    async run(context) {
      const source = await context.createSource();
      const ledger = await context.fill(source, entries(20, 15));
      const consumer = await context.consume(source, {
        dispatch,
        lanes: dispatch === "inline" ? 1 : 8,
        handler: recorded(ledger, () => context.jitter()),
      });
      await context.settleUp(ledger, source, consumer);
    },
  };
}

export const keyedOrder: Scenario = underRandomDelays("keyed");
export const hashedOrder: Scenario = underRandomDelays("hashed");
export const inlineOrder: Scenario = underRandomDelays("inline");
