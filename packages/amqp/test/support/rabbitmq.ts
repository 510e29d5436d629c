import { availability, type RunningBroker, type StartOptions, startBroker } from "@lab/testbed";

const { use } = await availability("amqp", { how: "native" });

/** Without it the tests that need it are skipped, unless every broker is required. */
export const withRabbitMq: boolean = use !== undefined || process.env.LAB_REQUIRE_BROKERS === "1";

if (!withRabbitMq) {
  console.warn("Skipped: tests on RabbitMQ, which is not installed: npm run brokers -- install");
}

export function rabbitMq(options: StartOptions = {}): Promise<RunningBroker> {
  return startBroker("amqp", { how: "native", ...options });
}
