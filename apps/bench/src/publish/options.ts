import {
  describeOptions,
  type OptionSpecs,
  positiveNumber,
  readArguments,
  wholeNumber,
} from "../arguments.ts";
import { type PublishBroker, parseBrokers, publishBrokers } from "../brokers.ts";
import { invalidOption } from "../invalid-option.ts";
import { bodyBytes, inFlight, variantsBeside } from "./variants.ts";

const specs = {
  brokers: {
    value: "NAMES|all",
    default: "what can be started",
    help: `${publishBrokers.join(", ")}; those named have to start, or the exit code is 1`,
  },
  seconds: { value: "X", default: "0.5", help: "longest time of each measurement" },
  rounds: { value: "N", default: "5", help: "measurements of which the median is taken" },
  out: {
    value: "DIR",
    default: "reports/<time>-publish",
    help: "where report.html and report.json go",
  },
  help: { help: "this text" },
} satisfies OptionSpecs;

const batches = variantsBeside(undefined).flatMap(({ variant, batch }) =>
  variant === "batch" ? [batch] : [],
);

export const publishHelp: string = `Measures how fast messages are published and confirmed: one at a time, ${inFlight} in flight, and in batches of
${batches.join(", ")}; beside the broker's plain client. Messages have ${bodyBytes} bytes. "lab" is our own MQTT broker,
@lab/mqtt-broker, embedded in another process than the publisher's.

Usage: npm run bench -- publish [options]

${describeOptions(specs)}

Exit code: 0; 1 for a message that was confirmed and is not on the broker, or a named broker that did not start; 2 for
bad options.
`;

export interface PublishOptions {
  readonly help: boolean;
  /** Undefined: what can be started. */
  readonly brokers: readonly PublishBroker[] | undefined;
  readonly seconds: number;
  readonly rounds: number;
  /** Undefined: a folder named after the time. */
  readonly out: string | undefined;
}

/** @throws {LabError} `INVALID_OPTION` */
export function parsePublishOptions(argv: readonly string[]): PublishOptions {
  const given = readArguments("publish", specs, argv);
  if (given.out === "") throw invalidOption("--out", "", "a folder");
  return {
    help: given.help !== undefined,
    brokers: parseBrokers("--brokers", given.brokers, publishBrokers),
    seconds: positiveNumber("--seconds", given.seconds ?? specs.seconds.default, 60),
    rounds: wholeNumber("--rounds", given.rounds ?? specs.rounds.default, 1, 1000),
    out: given.out,
  };
}
