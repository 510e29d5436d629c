import { describeOptions, type OptionSpecs, readArguments, wholeNumber } from "../arguments.ts";
import { parseBrokers } from "../brokers.ts";
import { invalidOption } from "../invalid-option.ts";
import { bodyBytes } from "./backlog.ts";
import { lanes } from "./contender.ts";
import { type MeasuredBroker, measuredBrokers } from "./contenders/index.ts";

type ForEach = Readonly<Record<MeasuredBroker, number>>;

/** For half a second to two seconds each, so that a run takes five minutes. */
const defaultMessages: ForEach = { mqtt: 100_000, amqp: 40_000, kafka: 400_000, solace: 150_000 };

const specs = {
  brokers: {
    value: "NAMES|all",
    default: "what can be started",
    help: `${measuredBrokers.join(", ")}; those named have to start, or the exit code is 1`,
  },
  messages: {
    value: "N",
    default: measuredBrokers.map((name) => `${name} ${defaultMessages[name]}`).join(", "),
    help: "in each measurement, besides a quarter as many before, for warming up",
  },
  window: { value: "N", default: "256", help: "most messages unsettled at once" },
  rounds: { value: "N", default: "5", help: "measurements of which the median is taken" },
  out: {
    value: "DIR",
    default: "reports/<time>-throughput",
    help: "where report.html and report.json go",
  },
  help: { help: "this text" },
} satisfies OptionSpecs;

export const throughputHelp: string = `Measures how fast a queued backlog is consumed, and at what cost, with a handler that does nothing: consume() with
${lanes} lanes against loops on the broker's plain client. Messages have ${bodyBytes} bytes.

Usage: npm run bench -- throughput [options]

${describeOptions(specs)}

Exit code: 0; 1 for a message that was left on the broker or handled twice, or a named broker that did not start; 2 for
bad options.
`;

export interface ThroughputOptions {
  readonly help: boolean;
  /** Undefined: what can be started. */
  readonly brokers: readonly MeasuredBroker[] | undefined;
  readonly messages: ForEach;
  readonly window: number;
  readonly rounds: number;
  /** Undefined: a folder named after the time. */
  readonly out: string | undefined;
}

/** @throws {LabError} `INVALID_OPTION` */
export function parseThroughputOptions(argv: readonly string[]): ThroughputOptions {
  const given = readArguments("throughput", specs, argv);
  if (given.out === "") throw invalidOption("--out", "", "a folder");
  return {
    help: given.help !== undefined,
    brokers: parseBrokers("--brokers", given.brokers, measuredBrokers),
    messages: given.messages === undefined ? defaultMessages : sameFor(given.messages),
    window: wholeNumber("--window", given.window ?? specs.window.default, 1, 65_535),
    rounds: wholeNumber("--rounds", given.rounds ?? specs.rounds.default, 1, 1000),
    out: given.out,
  };
}

function sameFor(given: string): ForEach {
  const messages = wholeNumber("--messages", given, 100, 1e8);
  return { mqtt: messages, amqp: messages, kafka: messages, solace: messages };
}
