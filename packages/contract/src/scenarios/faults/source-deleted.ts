import type { Scenario } from "../../scenario.ts";
import { entries } from "../../tools/messages.ts";
import { recorded } from "../../tools/recorded.ts";

export const sourceDeleted: Scenario = {
  name: "tells that its source was deleted",
  needs: ({ deleteSource }) => deleteSource,
  async run(context) {
    const source = await context.createSource();
    const ledger = await context.fill(source, entries(1, 1));
    const consumer = await context.consume(source, { mayFail: true, handler: recorded(ledger) });
    let failed = false;
    consumer.closed.catch(() => {
      failed = true;
    });
    await context.until(
      "a message to be handled",
      () => ledger.complete,
      () => ledger.report(),
    );
    await context.deleteSource(source);
    const { states } = context.watch;
    await context.until(
      "the consumer to fail, or to tell that it tries to come back",
      () => failed || states.includes("reconnecting"),
      () => states,
    );
  },
};
