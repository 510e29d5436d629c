import assert from "node:assert/strict";
import type { ScenarioContext } from "../../context.ts";
import type { Scenario } from "../../scenario.ts";
import { entries } from "../../tools/messages.ts";

export const deliveryCount: Scenario = {
  name: "counts deliveries where the broker does",
  needs: ({ deliveryCount }) =>
    deliveryCount || "`deliveryCount` is declared false; that it is absent is tested instead",
  async run(context) {
    const [first, second] = await countsOfTwoArrivals(context);
    assert.equal(first, 1, "the first arrival");
    assert.equal(second, 2, "the second arrival");
  },
};

export const noDeliveryCount: Scenario = {
  name: "gives no delivery count where the broker has none",
  appliesTo: ({ deliveryCount }) => !deliveryCount,
  async run(context) {
    assert.deepEqual(await countsOfTwoArrivals(context), [undefined, undefined]);
  },
};

async function countsOfTwoArrivals(context: ScenarioContext): Promise<(number | undefined)[]> {
  const source = await context.createSource();
  await context.fill(source, entries(1, 1));
  const counts: (number | undefined)[] = [];
  for (const arrival of ["first", "second"]) {
    const { tap, subscription } = await context.tap(source, 1);
    await context.arrivals(tap, 1, `the ${arrival} arrival`);
    counts.push(tap.deliveries[0]?.deliveryCount);
    if (arrival === "second") tap.deliveries[0]?.settle("ack");
    await context.within("close", subscription.close());
  }
  return counts;
}
