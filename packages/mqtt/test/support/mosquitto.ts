import { type RunningBroker, type StartOptions, startBroker } from "@lab/testbed";
import { usable } from "@lab/testbed/testing";
import { onTestFinished } from "vitest";

export const withMosquitto: boolean = await usable("mqtt");

/** A mosquitto that ends with the test. */
export async function mosquitto(options: StartOptions = {}): Promise<RunningBroker> {
  const broker = await startBroker("mqtt", { how: "native", ...options });
  onTestFinished(() => broker.stop());
  return broker;
}
