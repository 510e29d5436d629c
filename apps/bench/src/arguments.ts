import { parseArgs } from "node:util";
import { LabError } from "@lab/core";
import { invalidOption } from "./invalid-option.ts";

/** One option of a command, as `--help` shows it. Without `value` it is a flag. */
export interface OptionSpec {
  readonly value?: string;
  readonly default?: string;
  readonly help: string;
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

/** What was given on the command line: the text of each option, `""` for a flag. */
export type Given<S extends OptionSpecs> = { readonly [Name in keyof S]?: string };

/**
 * Reads the arguments of a command. What is not an option of it, or is given twice, is refused.
 * @throws {LabError} `INVALID_OPTION`
 */
export function readArguments<S extends OptionSpecs>(
  command: string,
  specs: S,
  argv: readonly string[],
): Given<S> {
  const options = Object.entries(specs).map(
    ([name, { value }]) => [name, { type: value === undefined ? "boolean" : "string" }] as const,
  );
  // Not strict: the tokens are checked here, so that every refusal is a LabError in the same words.
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(options),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const given: Record<string, string> = {};
  for (const token of tokens) {
    if (token.kind === "option-terminator") continue;
    if (token.kind === "positional") throw unknownArgument(command, specs, token.value);
    const { name, rawName, value } = token;
    const spec = rawName === `--${name}` ? specs[name] : undefined;
    if (spec === undefined) throw unknownArgument(command, specs, rawName);
    if (name in given) throw invalidOption(rawName, `${rawName} twice`, "given once");
    if (spec.value === undefined && value !== undefined) {
      throw invalidOption(rawName, value, "a flag without a value");
    }
    if (spec.value !== undefined && value === undefined) {
      throw invalidOption(rawName, "", `followed by its value, ${spec.value}`);
    }
    given[name] = value ?? "";
  }
  return given as Given<S>;
}

function unknownArgument(command: string, specs: OptionSpecs, got: string): LabError {
  const known = Object.keys(specs).map((name) => `--${name}`);
  return new LabError(
    "INVALID_OPTION",
    `Expected an option of \`${command}\` (${known.join(", ")}), got "${got}". ` +
      `\`npm run bench -- ${command} --help\` says what each one does.`,
  );
}

/** The options of a command as lines of its help. */
export function describeOptions(specs: OptionSpecs): string {
  const rows = Object.entries(specs).map(([name, spec]) => ({
    left: spec.value === undefined ? `--${name}` : `--${name} ${spec.value}`,
    right: spec.default === undefined ? spec.help : `${spec.help} [${spec.default}]`,
  }));
  const width = Math.max(...rows.map((row) => row.left.length));
  return rows.map((row) => `  ${row.left.padEnd(width)}  ${row.right}`).join("\n");
}

/** @throws {LabError} `INVALID_OPTION` unless the text is a whole number within the limits, both included. */
export function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw invalidOption(name, text, `a whole number from ${min} to ${max}`);
  }
  return value;
}

/** @throws {LabError} `INVALID_OPTION` unless the text is a number above 0, at most `max`. */
export function positiveNumber(name: string, text: string, max: number): number {
  const value = Number(text);
  if (text.trim() === "" || !(value > 0 && value <= max)) {
    throw invalidOption(name, text, `a number above 0, at most ${max}`);
  }
  return value;
}
