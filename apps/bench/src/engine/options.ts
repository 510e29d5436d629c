import { describeOptions, type OptionSpecs, readArguments, wholeNumber } from "../arguments.ts";
import { lanes, window } from "./contender.ts";
import type { EngineParams } from "./report.ts";

const keyCounts = [100, 1_000, 100_000, 1_000_000];

const specs = {
  messages: {
    value: "N",
    default: "1000000",
    help: "messages in each measurement; key counts above it are left out",
  },
  rounds: { value: "N", default: "5", help: "measurements of which the median is taken" },
  out: {
    value: "DIR",
    default: "reports/<time>-engine",
    help: "where report.html and report.json go",
  },
  help: { help: "this text" },
} satisfies OptionSpecs;

export const engineHelp: string = `Measures the lane engine, with a handler that does nothing, against a bare await loop, p-queue, fastq, async and
rxjs: ${lanes} lanes, ${keyCounts.map((keys) => keys.toLocaleString("en-GB")).join(", ")} keys.

Usage: npm run bench -- engine [options]

${describeOptions(specs)}
`;

export interface EngineOptions {
  readonly help: boolean;
  readonly params: EngineParams;
  /** Undefined: a folder named after the time. */
  readonly out: string | undefined;
}

/** @throws {LabError} `INVALID_OPTION` */
export function parseEngineOptions(argv: readonly string[]): EngineOptions {
  const given = readArguments("engine", specs, argv);
  const messages = wholeNumber("--messages", given.messages ?? specs.messages.default, 100, 1e8);
  return {
    help: given.help !== undefined,
    params: {
      messages,
      keys: keyCounts.filter((keys) => keys <= messages),
      rounds: wholeNumber("--rounds", given.rounds ?? specs.rounds.default, 1, 1000),
      lanes,
      window,
    },
    out: given.out,
  };
}
