import assert from "node:assert/strict";
import type { ScenarioContext } from "../../context.ts";
import type { Scenario } from "../../scenario.ts";

const MEGABYTE = 1_000_000;

export const bodies: Scenario = {
  name: "carries empty, binary and non-ASCII bodies unchanged",
  run: (context) =>
    roundTrip(context, [
      Buffer.alloc(0),
      Buffer.from([0]),
      Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
      Buffer.from([0xff, 0xfe, 0x80]),
      Buffer.from("Grüße, 世界 🌍, \r\n\u0000"),
      Buffer.alloc(70_000, 0xa5),
    ]),
};

export const megabyteBody: Scenario = {
  name: "carries a body of 1 MB unchanged",
  needs: ({ largestBody = MEGABYTE }) =>
    largestBody >= MEGABYTE || `the broker takes ${largestBody} bytes at most`,
  run: (context) => {
    const body = Buffer.alloc(MEGABYTE);
    for (let i = 0; i < body.length; i++) body[i] = Math.floor(context.random() * 256);
    return roundTrip(context, [body]);
  },
};

/** In one batch, and compared when all have arrived: a body must not change while its neighbours come in. */
async function roundTrip(context: ScenarioContext, sent: readonly Buffer[]): Promise<void> {
  const source = await context.createSource();
  const carried = context.capabilities.keys ? { key: "bodies" } : {};
  await context.publish(
    source,
    sent.map((body) => ({ body, ...carried })),
  );
  const { tap, subscription } = await context.tap(source, sent.length);
  await context.until(
    `${sent.length} deliveries`,
    () => tap.deliveries.length === sent.length,
    () => `${tap.deliveries.length}`,
  );
  for (const [i, { message }] of tap.deliveries.entries()) {
    assert.ok(message.body instanceof Uint8Array, "a body must be a Uint8Array");
    assert.ok(Buffer.compare(message.body, sent[i] ?? Buffer.alloc(0)) === 0, `body ${i} changed`);
    assert.equal(message.destination, source.destination);
  }
  for (const delivery of tap.deliveries) delivery.settle("ack");
  await context.within("close", subscription.close());
  assert.equal(await source.purge(), 0, "messages left at the broker");
}
