import type { ScenarioContext } from "../../context.ts";
import { Ledger } from "../../ledger.ts";
import type { TestSource } from "../../rig.ts";
import type { Scenario } from "../../scenario.ts";
import { restart } from "../../tools/faults.ts";
import { entries } from "../../tools/messages.ts";
import { publishUntilConfirmed } from "../../tools/publish.ts";
import { recorded } from "../../tools/recorded.ts";

export const brokerAway: Scenario = {
  name: "publishes once the broker is there, though it was away at first",
  needs: ({ restart }) => restart,
  async run(context) {
    const source = await context.createSource();
    const { subscription } = await context.tap(source, 1);
    const [ledger] = await Promise.all([publishWhileAway(context, source), restart(context)]);
    await context.within("close", subscription.close());
    const consumer = await context.consume(source, { handler: recorded(ledger) });
    await context.settleUp(ledger, source, consumer);
  },
};

/** The first connection of the publisher is tried when that of a subscriber is lost. */
async function publishWhileAway(context: ScenarioContext, source: TestSource): Promise<Ledger> {
  const { states } = context.watch;
  await context.until(
    "the broker to be away",
    () => states.includes("reconnecting"),
    () => states,
  );
  const ledger = new Ledger();
  ledger.faultInjected();
  const all = entries(2, 5);
  for (const { key } of all) ledger.publish(key);
  await publishUntilConfirmed(context, await context.publisher(), source, all);
  return ledger;
}
