import type { Availability, RunningBroker, StartOptions } from "./broker.ts";
import { choose, nothingToUse } from "./choose.ts";
import { startBehindProxy } from "./faults.ts";
import { type BrokerName, kinds } from "./kinds/index.ts";
import { checkName, checkOptions } from "./options.ts";

/**
 * Starts a broker, or connects to one that runs: see {@link How} for the order. Resolves when it has answered a protocol
 * handshake. The caller stops it; if this process dies first, in whatever way, what was started ends with it.
 * @throws {LabError} `INVALID_OPTION`; `BROKER_UNREACHABLE` when the environment names a broker that does not answer;
 * `BROKER_START_FAILED` with the broker's own log, or with what to do when nothing here can do what is asked.
 */
export async function startBroker(
  name: BrokerName,
  options: StartOptions = {},
): Promise<RunningBroker> {
  const kind = kinds[checkName(name)];
  checkOptions(options);
  const choice = await choose(kind, options);
  if (choice.way === undefined) throw nothingToUse(kind, choice);
  const { candidate, start } = choice.way;
  const broker = await startBehindProxy(name, kind, candidate.how, start);
  if (!options.signal?.aborted) return broker;
  await broker.stop();
  throw options.signal.reason;
}

/**
 * What `startBroker` would use, without starting it.
 * @throws {LabError} `INVALID_OPTION`; `BROKER_UNREACHABLE` when the environment names a broker that does not answer.
 */
export async function availability(
  name: BrokerName,
  options: StartOptions = {},
): Promise<Availability> {
  const kind = kinds[checkName(name)];
  checkOptions(options);
  const { way, passedOver } = await choose(kind, options);
  return { name, use: way?.candidate, passedOver };
}
