import { type Consumer, RunningConsumer } from "./consumer.ts";
import type { ConsumeOptions } from "./options.ts";
import type { Deserializer } from "./ports.ts";
import { settingsOf } from "./settings.ts";

/**
 * Consumes `source`: each key in order, different keys in parallel, acknowledged after the handler has succeeded.
 * Resolves when the broker has accepted the subscription. Close what it gives back: `await using`, `drain` or `stop`.
 * @throws {LabError} `INVALID_OPTION`, or what `Subscriber.subscribe` throws: `SOURCE_MISSING`, `ACCESS_REFUSED`,
 * `BROKER_UNREACHABLE`
 */
export function consume<T>(
  options: ConsumeOptions<T> & { readonly deserialize: Deserializer<T> },
): Promise<Consumer>;
export function consume(options: ConsumeOptions<Uint8Array>): Promise<Consumer>;
export async function consume<T>(options: ConsumeOptions<T>): Promise<Consumer> {
  const consumer = new RunningConsumer(settingsOf(options));
  await consumer.start();
  return consumer;
}
