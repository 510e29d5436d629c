import { LabError } from "@lab/core";
import type { Availability, RunningBroker, StartOptions } from "./broker.ts";
import type { BrokerName } from "./kinds/index.ts";

/**
 * Starts a broker, or connects to one that runs: see {@link How} for the order. Resolves when it has answered a protocol
 * handshake.
 * @throws {LabError} `INVALID_OPTION`; `BROKER_UNREACHABLE` when the environment names a broker that does not answer;
 * `BROKER_START_FAILED` with the broker's own log, or with what to do when nothing here can do what is asked.
 */
export async function startBroker(
  name: BrokerName,
  options: StartOptions = {},
): Promise<RunningBroker> {
  options.signal?.throwIfAborted();
  throw new LabError("BROKER_START_FAILED", `Not yet: ${name}`);
}

/** What `startBroker` would use, without starting it. */
export async function availability(
  name: BrokerName,
  options: StartOptions = {},
): Promise<Availability> {
  options.signal?.throwIfAborted();
  return { name, use: undefined, passedOver: [] };
}
