import {
  describeOptions,
  type OptionSpecs,
  positiveNumber,
  readArguments,
  wholeNumber,
} from "../arguments.ts";
import { invalidOption } from "../invalid-option.ts";
import { type Mode, type SyncBroker, syncBrokers } from "./protocol.ts";
import type { SyncParams } from "./report.ts";

const modes = ["batched", "single", "both"] as const;

const specs = {
  broker: {
    value: "NAMES",
    default: "lab",
    help: "lab and aedes in the server's process; mosquitto, which the test bed starts; several: lab,mosquitto",
  },
  subscriptions: {
    value: "N",
    default: "40000",
    help: "topics, half of them changed by each side",
  },
  rate: {
    value: "N|max",
    default: "20000",
    help: "changes a second on each side; max: as many as can be sent, one side after the other",
  },
  seconds: { value: "X", default: "60", help: "measured in each run" },
  mode: { value: "HOW", default: "both", help: "batched, single or both, one after the other" },
  out: {
    value: "DIR",
    default: "reports/<time>-sync",
    help: "where report.html and report.json go",
  },
  help: { help: "this text" },
} satisfies OptionSpecs;

export const syncHelp: string = `Mirrors values between a server and its client over MQTT, in batches and one at a time: the scenario of MQTTnet's pull
request 2222.

Usage: npm run bench -- sync [options]

${describeOptions(specs)}

Exit code: 0; 1 for a broker that did not start, or a side that mirrored nothing; 2 for bad options.
`;

export interface SyncOptions {
  readonly help: boolean;
  readonly params: SyncParams;
  /** Undefined: a folder named after the time. */
  readonly out: string | undefined;
}

/** @throws {LabError} `INVALID_OPTION` */
export function parseSyncOptions(argv: readonly string[]): SyncOptions {
  const given = readArguments("sync", specs, argv);
  if (given.out === "") throw invalidOption("--out", "", "a folder");
  const rate = given.rate ?? specs.rate.default;
  const subscriptions = given.subscriptions ?? specs.subscriptions.default;
  return {
    help: given.help !== undefined,
    params: {
      brokers: [...new Set((given.broker ?? specs.broker.default).split(","))].map((name) =>
        oneOf("--broker", name, syncBrokers),
      ),
      subscriptions: wholeNumber("--subscriptions", subscriptions, 2, 100_000),
      rate: rate === "max" ? 0 : wholeNumber("--rate", rate, 1, 10_000_000),
      seconds: positiveNumber("--seconds", given.seconds ?? specs.seconds.default, 86_400),
      mode: oneOf("--mode", given.mode ?? specs.mode.default, modes),
    },
    out: given.out,
  };
}

export function modesOf({ mode }: Pick<SyncParams, "mode">): Mode[] {
  return mode === "both" ? ["batched", "single"] : [mode];
}

function oneOf<Value extends SyncBroker | (typeof modes)[number]>(
  name: string,
  got: string,
  allowed: readonly Value[],
): Value {
  const found = allowed.find((value) => value === got);
  if (found === undefined) throw invalidOption(name, got, allowed.join(", "));
  return found;
}
