import { type RunningBroker, type StartOptions, startBroker } from "@lab/testbed";
import { usable } from "@lab/testbed/testing";

export const withRabbitMq: boolean = await usable("amqp");

export function rabbitMq(options: StartOptions = {}): Promise<RunningBroker> {
  return startBroker("amqp", { how: "native", ...options });
}
