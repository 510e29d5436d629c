import { type Consumer, RunningConsumer } from "./consumer.ts";
import type { ConsumeOptions } from "./options.ts";
import { settingsOf } from "./settings.ts";

/**
 * Consumes `source`: each key in order, different keys in parallel, acknowledged after the handler has succeeded.
 * Resolves when the broker has accepted the subscription. Close what it gives back: `await using`, `drain` or `stop`.
 * @throws {LabError} `INVALID_OPTION`, or what `Subscriber.subscribe` throws: `SOURCE_MISSING`, `ACCESS_REFUSED`,
 * `BROKER_UNREACHABLE`
 */
export async function consume<T = Uint8Array>(options: ConsumeOptions<T>): Promise<Consumer> {
  const consumer = new RunningConsumer(settingsOf(options));
  await consumer.start();
  return consumer;
}
