import assert from "node:assert/strict";
import type { Scenario } from "../../scenario.ts";
import { entries, outgoing } from "../../tools/messages.ts";

export const unsettledComeAgain: Scenario = {
  name: "leaves to the broker what is not settled",
  async run(context) {
    const source = await context.createSource();
    await context.fill(source, entries(1, 10));
    const first = await context.tap(source, 10);
    await context.arrivals(first.tap, 10);
    await context.within("close", first.subscription.close());
    const second = await context.tap(source, 10);
    await context.arrivals(second.tap, 10, "the 10 unsettled messages to come again");
    assert.deepEqual(second.tap.names, first.tap.names, "they came again in another order");
    for (const delivery of second.tap.deliveries) delivery.settle("ack");
    await context.within("close", second.subscription.close());
    assert.equal(await source.purge(), 0, "settled messages were still at the broker");
  },
};

export const settledStaySettled: Scenario = {
  name: "sends what is settled before it closes",
  async run(context) {
    const source = await context.createSource();
    await context.fill(source, entries(1, 10));
    const first = await context.tap(source, 10);
    await context.arrivals(first.tap, 10);
    const [oldest, ...later] = first.tap.deliveries;
    for (const delivery of later) delivery.settle("ack");
    await context.within("close", first.subscription.close());
    assert.equal(oldest?.session.ended, true, "the session had not ended after close");

    await context.publish(source, [outgoing({ key: "key-0", seq: 10 }, context.capabilities.keys)]);
    const second = await context.tap(source, 32);
    second.tap.onDelivery = (delivery) => delivery.settle("ack");
    for (const delivery of [...second.tap.deliveries]) delivery.settle("ack");
    await context.until(
      "the unsettled message and the new one",
      () => second.tap.names.includes("key-0/0") && second.tap.names.includes("key-0/10"),
      () => second.tap.names,
    );
    await context.quiet();
    if (context.capabilities.settles === "individually") {
      assert.deepEqual(second.tap.names, ["key-0/0", "key-0/10"], "settled messages came again");
    }
    await context.within("close", second.subscription.close());
    assert.equal(await source.purge(), 0, "settled messages were still at the broker");
  },
};
