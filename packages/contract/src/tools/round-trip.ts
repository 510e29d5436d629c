import assert from "node:assert/strict";
import type { Message, OutgoingMessage } from "@lab/core";
import type { ScenarioContext } from "../context.ts";
import { labError, publishError } from "./errors.ts";

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

/** The publisher refuses `bad`, by its index in a batch, and confirms the messages around it. */
export async function expectUnsupported(
  context: ScenarioContext,
  bad: OutgoingMessage,
): Promise<void> {
  const source = await context.createSource();
  const publisher = await context.publisher();
  const batch = [{ body: Buffer.from("good") }, bad, { body: Buffer.from("good") }];
  const error = await publishError(context, publisher.publish(source.destination, batch));
  const [failure, ...others] = error.failures;
  assert.equal(failure?.index, 1, "the message that was refused");
  labError("UNSUPPORTED_MESSAGE")(failure.error);
  assert.deepEqual(others, [], "the messages around it must be confirmed");
  assert.equal(await source.purge(), 2, "messages at the broker");
}
