import { availability, type RunningBroker, type StartOptions, startBroker } from "@lab/testbed";
import { onTestFinished } from "vitest";

const { use } = await availability("mqtt", { how: "native" });

/** Without it the tests that need it are skipped, unless every broker is required. */
export const withMosquitto: boolean = use !== undefined || process.env.LAB_REQUIRE_BROKERS === "1";

if (!withMosquitto) {
  console.warn("Skipped: tests on mosquitto, which is not installed: npm run brokers -- install");
}

/** A mosquitto that ends with the test. */
export async function mosquitto(options: StartOptions = {}): Promise<RunningBroker> {
  const broker = await startBroker("mqtt", { how: "native", ...options });
  onTestFinished(() => broker.stop());
  return broker;
}
