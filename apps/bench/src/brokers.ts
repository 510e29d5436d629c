import type { Rig } from "@lab/contract";
import { memoryRig } from "@lab/contract/memory";
import { LabError } from "@lab/core";
import { mqttPublisher, mqttSubscriber } from "@lab/mqtt";
import { type StartOptions, startBroker } from "@lab/testbed";
import { mqttRig } from "@lab/testbed/rigs";
import type { Context } from "./command.ts";
import { invalidOption } from "./invalid-option.ts";

export const brokerNames = ["memory", "mqtt"] as const;
export type BrokerName = (typeof brokerNames)[number];

/** A broker that the comparisons can run on. */
export interface BrokerChoice {
  readonly name: BrokerName;
  /**
   * Starts it, or connects to one that runs. With `real`, an embedded one does not count.
   * @throws {LabError} `BROKER_START_FAILED` or `BROKER_UNREACHABLE`
   */
  start(options: StartOptions): Promise<Rig>;
}

export const brokers: readonly BrokerChoice[] = [
  { name: "memory", start: async () => memoryRig() },
  { name: "mqtt", start: startMqtt },
];

/** The first that the test bed finds. */
export async function startMqtt(options: StartOptions): Promise<Rig> {
  const broker = await startBroker("mqtt", options);
  // The embedded broker speaks MQTT 3.1.1 only.
  const protocolVersion = broker.how === "embedded" ? 4 : 5;
  return mqttRig({ broker, adapter: { mqttSubscriber, mqttPublisher }, protocolVersion });
}

/** @throws {LabError} `INVALID_OPTION` */
export function parseBrokers(option: string, text: string): BrokerName[] {
  if (text === "all") return [...brokerNames];
  const named = text.split(",").map((part) => {
    const known = brokerNames.find((name) => name === part);
    if (known === undefined) {
      const names = brokerNames.join(", ");
      throw invalidOption(option, text, `"all" or names of ${names}, with commas between them`);
    }
    return known;
  });
  if (new Set(named).size < named.length) throw invalidOption(option, text, "without repetition");
  return named;
}

export interface NamedRig {
  readonly name: BrokerName;
  readonly rig: Rig;
}

/** Brokers that run, and those that could not be started. Disposing it closes all. */
export interface StartedRigs extends AsyncDisposable {
  readonly rigs: readonly NamedRig[];
  readonly skipped: readonly { readonly broker: BrokerName; readonly why: string }[];
}

/**
 * Starts the brokers that were named, or, where none were, every one that can be started.
 * @throws {LabError} what the first named one failed with; nothing is left open
 */
export async function startRigs(
  named: readonly BrokerName[] | undefined,
  { brokers, brokersRequired, signal }: Context,
): Promise<StartedRigs> {
  const wanted = brokers.filter(({ name }) => named === undefined || named.includes(name));
  const required = brokersRequired || named !== undefined;
  const rigs: NamedRig[] = [];
  const skipped: { broker: BrokerName; why: string }[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(rigs.map(({ rig }) => rig.close()));
  };
  for (const { name, start } of wanted) {
    try {
      rigs.push({ name, rig: await start({ signal, real: brokersRequired }) });
    } catch (error) {
      if (!required && error instanceof LabError) {
        skipped.push({ broker: name, why: error.message });
        continue;
      }
      await close();
      throw error;
    }
  }
  return { rigs, skipped, [Symbol.asyncDispose]: close };
}
