import { availability, type RunningBroker, type StartOptions, startBroker } from "@lab/testbed";
import { describe, onTestFinished } from "vitest";

const { use } = await availability("mqtt", { how: "native" });
const missing = use === undefined && process.env.LAB_REQUIRE_BROKERS !== "1";

if (missing) {
  console.warn("Skipped: tests on mosquitto, which is not installed: npm run brokers -- install");
}

/** A suite that needs mosquitto. Skipped without it, unless every broker is required. */
export const describeOnMosquitto = describe.skipIf(missing);

/** A mosquitto that ends with the test. */
export async function mosquitto(options: StartOptions = {}): Promise<RunningBroker> {
  const broker = await startBroker("mqtt", { how: "native", ...options });
  onTestFinished(() => broker.stop());
  return broker;
}
