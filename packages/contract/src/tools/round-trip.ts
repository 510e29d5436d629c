import assert from "node:assert/strict";
import type { Message, OutgoingMessage } from "@lab/core";
import type { ScenarioContext } from "../context.ts";
import { labError } from "./errors.ts";

/** What arrives of `sent`. The first byte of each body is its index, since different keys may arrive in any order. */
export async function roundTrip(
  context: ScenarioContext,
  sent: readonly OutgoingMessage[],
): Promise<Message[]> {
  const source = await context.createSource();
  await context.publish(source, sent);
  const { tap, subscription } = await context.tap(source, sent.length);
  await context.until(
    `${sent.length} deliveries`,
    () => tap.deliveries.length === sent.length,
    () => `${tap.deliveries.length}`,
  );
  for (const delivery of tap.deliveries) delivery.settle("ack");
  await context.within("close", subscription.close());
  const arrived = tap.deliveries.map(({ message }) => message);
  return arrived.sort((a, b) => (a.body[0] ?? 0) - (b.body[0] ?? 0));
}

/** A batch with `bad` in it is refused as a whole, before anything of it is sent. */
export async function expectUnsupported(
  context: ScenarioContext,
  bad: OutgoingMessage,
): Promise<void> {
  const source = await context.createSource();
  const publisher = await context.publisher();
  const batch = [{ body: Buffer.from("good") }, bad, { body: Buffer.from("good") }];
  await assert.rejects(
    context.within("the refusal", publisher.publish(source.destination, batch)),
    (error: Error) => {
      labError("UNSUPPORTED_MESSAGE")(error);
      assert.match(error.message, /\b1\b/, "the error must name the message by its index");
      return true;
    },
  );
  assert.equal(await source.purge(), 0, "messages of the refused batch were sent");
}
