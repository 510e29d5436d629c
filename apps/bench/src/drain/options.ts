import {
  describeOptions,
  type OptionSpecs,
  positiveNumber,
  readArguments,
  wholeNumber,
} from "../arguments.ts";
import { type BrokerName, brokerNames, parseBrokers } from "../brokers.ts";
import { invalidOption } from "../invalid-option.ts";
import {
  type ConfigToken,
  type DispatchChoice,
  parseConfigs,
  parseDispatch,
} from "./configuration.ts";
import { parseKeyDistribution } from "./key-distribution.ts";
import type { WorkloadOptions } from "./workload.ts";

const specs = {
  brokers: {
    value: "NAMES|all",
    default: "what can be started",
    help: `${brokerNames.join(", ")}; those named have to start, or the exit code is 1`,
  },
  configs: {
    value: "LIST",
    default: "inline,2,4,8,32",
    help: "inline and numbers of lanes",
  },
  dispatch: {
    value: "WAY",
    default: "both",
    help: "keyed, hashed or both: how messages get to the lanes",
  },
  messages: { value: "N", default: "1000", help: "messages in the backlog" },
  keys: { value: "N", default: "100", help: "keys whose order is kept" },
  "key-dist": {
    value: "HOW",
    default: "even",
    help: "even, uniform, zipf:S or clustered:N (N of a key in a row)",
  },
  handler: {
    value: "MIN..MAX",
    default: "250..1000",
    help: "handler time in whole ms, uniform, before --scale",
  },
  scale: { value: "X", default: "0.02", help: "factor on the handler times" },
  full: { help: "handler times as they are: --scale 1" },
  window: { value: "N", default: "255", help: "most deliveries unsettled at once" },
  seed: { value: "N", default: "1", help: "of the keys and handler times" },
  out: {
    value: "DIR",
    default: "reports/<time>-drain",
    help: "where report.html and report.json go",
  },
  help: { help: "this text" },
} satisfies OptionSpecs;

export const drainHelp: string = `Drains one queued backlog through every subscriber design and compares them.

Usage: npm run bench -- drain [options]

${describeOptions(specs)}

Exit code: 0 when every run kept order and lost nothing; 1 for an ordering violation, overlap, duplicate that no lost
connection explains, loss, message left on the broker, more unsettled than the window, or named broker that did not
start; 2 for bad options.
`;

export interface DrainOptions {
  readonly help: boolean;
  /** Undefined: what can be started. */
  readonly brokers: readonly BrokerName[] | undefined;
  readonly configs: readonly ConfigToken[];
  readonly dispatch: DispatchChoice;
  /** As given, for the report; `workload.keyDistribution` is what it means. */
  readonly keyDist: string;
  readonly workload: WorkloadOptions;
  readonly window: number;
  /** Undefined: a folder named after the time. */
  readonly out: string | undefined;
}

/** @throws {LabError} `INVALID_OPTION` */
export function parseDrainOptions(argv: readonly string[]): DrainOptions {
  const given = readArguments("drain", specs, argv);
  const configs = parseConfigs("--configs", given.configs ?? specs.configs.default);
  const dispatch = parseDispatch("--dispatch", given.dispatch ?? specs.dispatch.default);
  if (given.dispatch !== undefined && configs.every((config) => config === "inline")) {
    throw invalidOption(
      "--dispatch",
      given.dispatch,
      "left out where --configs is inline alone",
      "Inline has no lanes to dispatch to; add a number of lanes to --configs.",
    );
  }
  if (given.full !== undefined && given.scale !== undefined) {
    throw invalidOption("--scale", given.scale, "left out with --full", "--full is --scale 1.");
  }
  const messages = wholeNumber("--messages", given.messages ?? specs.messages.default, 1, 1e6);
  const keys = wholeNumber("--keys", given.keys ?? specs.keys.default, 1, 1e6);
  if (keys > messages) {
    throw invalidOption(
      "--keys",
      String(keys),
      `at most the number of messages, ${messages}`,
      "Give fewer keys or more --messages.",
    );
  }
  const keyDist = given["key-dist"] ?? specs["key-dist"].default;
  if (given.out === "") throw invalidOption("--out", "", "a folder");
  return {
    help: given.help !== undefined,
    brokers: parseBrokers("--brokers", given.brokers, brokerNames),
    configs,
    dispatch,
    keyDist,
    workload: {
      messages,
      keys,
      keyDistribution: parseKeyDistribution("--key-dist", keyDist),
      handler: parseRange("--handler", given.handler ?? specs.handler.default),
      scale:
        given.full !== undefined
          ? 1
          : positiveNumber("--scale", given.scale ?? specs.scale.default, 100),
      seed: wholeNumber("--seed", given.seed ?? specs.seed.default, 0, 2 ** 32 - 1),
    },
    window: wholeNumber("--window", given.window ?? specs.window.default, 1, 65_535),
    out: given.out,
  };
}

function parseRange(name: string, text: string): [number, number] {
  const [min, max, ...rest] = text.split("..");
  if (min === undefined || max === undefined || rest.length > 0) {
    throw invalidOption(name, text, "MIN..MAX in whole ms", "For example 250..1000.");
  }
  const shortest = wholeNumber(`${name} (shortest)`, min, 1, 600_000);
  const longest = wholeNumber(`${name} (longest)`, max, 1, 600_000);
  if (shortest > longest) {
    throw invalidOption(name, text, "MIN..MAX with MIN first", `Did you mean ${max}..${min}?`);
  }
  return [shortest, longest];
}
