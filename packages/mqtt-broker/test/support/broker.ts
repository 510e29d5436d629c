import {
  type BrokerEvents,
  createMqttBroker,
  type ListenOptions,
  type MqttBroker,
  type MqttBrokerOptions,
} from "@lab/mqtt-broker";
import { onTestFinished } from "vitest";

export interface StartedBroker {
  readonly broker: MqttBroker;
  readonly port: number;
  readonly url: string;
}

/** A broker on a free port; ends with the test. */
export async function start(
  options: MqttBrokerOptions = {},
  listen: ListenOptions = {},
): Promise<StartedBroker> {
  const broker = createMqttBroker(options);
  onTestFinished(() => broker.close());
  const { port, url } = await broker.listen({ port: 0, ...listen });
  return { broker, port, url };
}

/** Collects the arguments of an event. */
export function events<Name extends keyof BrokerEvents>(
  broker: MqttBroker,
  name: Name,
): BrokerEvents[Name][] {
  const found: BrokerEvents[Name][] = [];
  const listener = (...args: unknown[]): void => {
    found.push(args as BrokerEvents[Name]);
  };
  (broker as import("node:events").EventEmitter).on(name, listener);
  return found;
}

/** Resolves when a condition holds. */
export async function until(condition: () => boolean, what = "condition"): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`${what} did not hold within 10 s`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
