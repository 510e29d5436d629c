import type { Scenario } from "../../scenario.ts";
import { cut } from "../../tools/faults.ts";
import { entries, nameOf } from "../../tools/messages.ts";
import { publishUntilConfirmed } from "../../tools/publish.ts";

export const publishAcrossCut: Scenario = {
  name: "loses no message that it confirms across a cut",
  needs: ({ cut }) => cut,
  async run(context) {
    const source = await context.createSource();
    const publisher = await context.publisher();
    const all = entries(1, 200);
    for (let from = 0; from < all.length; from += 20) {
      const publishing = publishUntilConfirmed(
        context,
        publisher,
        source,
        all.slice(from, from + 20),
      );
      if (from % 60 === 20) await cut(context);
      await publishing;
    }
    const { tap, subscription } = await context.tap(source, 50);
    const arrived = new Set<string>();
    tap.onDelivery = (delivery) => delivery.settle("ack");
    for (const delivery of [...tap.deliveries]) delivery.settle("ack");
    await context.until(
      "every confirmed message",
      () => {
        for (const name of tap.names) arrived.add(name);
        return arrived.size === all.length;
      },
      () => `${all.filter((entry) => !arrived.has(nameOf(entry))).map(nameOf)} missing`,
    );
    await context.within("close", subscription.close());
    await source.purge(); // What was published again may have arrived twice.
  },
};
