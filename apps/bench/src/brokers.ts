import { amqpPublisher, amqpSubscriber } from "@lab/amqp";
import type { Rig } from "@lab/contract";
import { memoryRig } from "@lab/contract/memory";
import { LabError } from "@lab/core";
import { kafkaPublisher, kafkaSubscriber } from "@lab/kafka";
import { mqttPublisher, mqttSubscriber } from "@lab/mqtt";
import { solacePublisher, solaceSubscriber } from "@lab/solace";
import { type RunningBroker, type StartOptions, startBroker } from "@lab/testbed";
import { amqpRig, kafkaRig, mqttRig, solaceRig } from "@lab/testbed/rigs";
import type { Context } from "./command.ts";
import { invalidOption } from "./invalid-option.ts";

export const brokerNames = ["memory", "mqtt", "amqp", "kafka", "solace"] as const;
export type BrokerName = (typeof brokerNames)[number];

/** With our own MQTT broker, whatever others there are: `publish` alone takes it. */
export type PublishBroker = BrokerName | "lab";
export const publishBrokers: readonly PublishBroker[] = [...brokerNames, "lab"];

/** A broker that the comparisons can run on. */
export interface BrokerChoice {
  readonly name: PublishBroker;
  /** Environment variable with the URL of one that runs. */
  readonly urlVariable?: string;
  /**
   * Starts it, or connects to one that runs. With `real`, an embedded one does not count.
   * @throws {LabError} `BROKER_START_FAILED` or `BROKER_UNREACHABLE`
   */
  start(options: StartOptions): Promise<BenchRig>;
}

export interface BenchRig extends Rig {
  /** The broker itself, for processes of their own. Absent where it is in this one and cannot be reached from another. */
  readonly url?: string;
}

export const brokers: readonly BrokerChoice[] = [
  { name: "memory", start: async () => memoryRig() },
  { name: "mqtt", urlVariable: "MQTT_URL", start: startMqtt },
  { name: "amqp", urlVariable: "AMQP_URL", start: startAmqp },
  { name: "kafka", urlVariable: "KAFKA_BROKERS", start: startKafka },
  { name: "solace", urlVariable: "SOLACE_URL", start: startSolace },
  { name: "lab", urlVariable: "MQTT_URL", start: startLab },
];

/** The first that the test bed finds. */
export async function startMqtt(options: StartOptions): Promise<BenchRig> {
  const broker = withoutProxy(await startBroker("mqtt", options));
  const adapter = { mqttSubscriber, mqttPublisher };
  return { ...(await mqttRig({ broker, adapter })), url: broker.url };
}

/** Embedded in this process, required or not; other processes are told its URL. */
function startLab({ real: _, how = "embedded", ...options }: StartOptions): Promise<BenchRig> {
  return startMqtt({ ...options, how });
}

async function startAmqp(options: StartOptions): Promise<BenchRig> {
  const broker = withoutProxy(await startBroker("amqp", options));
  const adapter = { amqpSubscriber, amqpPublisher };
  return { ...(await amqpRig({ broker, adapter })), url: broker.url };
}

async function startKafka(options: StartOptions): Promise<BenchRig> {
  const broker = withoutProxy(await startBroker("kafka", options));
  const adapter = { kafkaSubscriber, kafkaPublisher };
  return { ...(await kafkaRig({ broker, adapter })), url: broker.url };
}

/** One that `SOLACE_URL` names, or docker has; else the test double, required or not: there is nothing to install. */
async function startSolace({ real: _, ...options }: StartOptions): Promise<BenchRig> {
  const broker = withoutProxy(await startBroker("solace", options));
  const adapter = { solaceSubscriber, solacePublisher };
  return { ...(await solaceRig({ broker, adapter })), url: broker.url };
}

/** Nobody works faults here, and a proxy would be measured along. */
function withoutProxy(broker: RunningBroker): RunningBroker {
  return { ...broker, url: broker.directUrl };
}

/**
 * The brokers that were named, of those that a command takes; undefined where none was.
 * @throws {LabError} `INVALID_OPTION`
 */
export function parseBrokers<Name extends PublishBroker>(
  option: string,
  text: string | undefined,
  taken: readonly Name[],
): Name[] | undefined {
  if (text === undefined) return undefined;
  if (text === "all") return [...taken];
  const named = text.split(",").map((part) => {
    const known = taken.find((name) => name === part);
    if (known === undefined) {
      const names = taken.join(", ");
      throw invalidOption(option, text, `"all" or names of ${names}, with commas between them`);
    }
    return known;
  });
  if (new Set(named).size < named.length) throw invalidOption(option, text, "without repetition");
  return named;
}

export interface NamedRig<Name extends PublishBroker = BrokerName> {
  readonly name: Name;
  readonly rig: BenchRig;
}

/** A broker that was asked for by default only, and could not be started. */
export interface SkippedBroker {
  readonly broker: string;
  readonly why: string;
}

/** Brokers that run, and those that could not be started. Disposing it closes all. */
export interface StartedRigs<Name extends PublishBroker> extends AsyncDisposable {
  readonly rigs: readonly NamedRig<Name>[];
  readonly skipped: readonly SkippedBroker[];
}

/**
 * Starts the brokers that were named, or, where none were, every one that a command takes and that can be started; and
 * says which could not.
 * @throws {LabError} what the first named one failed with; nothing is left open
 */
export async function startRigs<Name extends PublishBroker>(
  taken: readonly Name[],
  named: readonly Name[] | undefined,
  { brokers, brokersRequired, signal, out }: Context,
): Promise<StartedRigs<Name>> {
  const wanted = (named ?? taken).flatMap((name) => {
    const choice = brokers.find((one) => one.name === name);
    return choice === undefined ? [] : [{ name, start: choice.start }];
  });
  const required = brokersRequired || named !== undefined;
  const rigs: NamedRig<Name>[] = [];
  const skipped: SkippedBroker[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(rigs.map(({ rig }) => rig.close()));
  };
  for (const { name, start } of wanted) {
    try {
      rigs.push({ name, rig: await start({ signal, real: brokersRequired }) });
    } catch (error) {
      if (!required && error instanceof LabError) {
        skipped.push({ broker: name, why: error.message });
        out.write(`Not run: ${name}. ${error.message}\n`);
        continue;
      }
      await close();
      throw error;
    }
  }
  return { rigs, skipped, [Symbol.asyncDispose]: close };
}
