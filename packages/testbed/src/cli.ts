#!/usr/bin/env node
import { parseArgs } from "node:util";
import { LabError } from "@lab/core";
import { help } from "./cli/help.ts";
import { install } from "./cli/install.ts";
import { start } from "./cli/start.ts";
import { status } from "./cli/status.ts";
import { stop } from "./cli/stop.ts";
import { type BrokerName, brokerNames } from "./kinds/index.ts";
import { checkName } from "./options.ts";

type Command = (
  names: readonly BrokerName[],
  options: { readonly dryRun: boolean },
) => Promise<number>;

const commands: Readonly<Record<string, Command>> = { install, start, status, stop };

const usageError = 2;

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parse(args);
  const [command, ...names] = positionals;
  if (values.help) {
    console.log(help);
    return 0;
  }
  const run = Object.hasOwn(commands, command ?? "") ? commands[command ?? ""] : undefined;
  if (run === undefined) {
    const got = command === undefined ? "none" : `"${command}"`;
    throw usage(`Expected a command, one of ${Object.keys(commands).join(", ")}, got ${got}.`);
  }
  if (values["dry-run"] && command !== "install") {
    throw usage(`\`--dry-run\` belongs to install, not to ${command}.`);
  }
  const checked = names.length === 0 ? brokerNames : [...new Set(names.map(checkName))];
  return run(checked, { dryRun: values["dry-run"] });
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: "boolean", short: "h", default: false },
        "dry-run": { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw usage((error as Error).message);
  }
}

function usage(problem: string): LabError {
  return new LabError("INVALID_OPTION", `${problem} See \`npm run brokers -- --help\`.`);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof LabError)) throw error;
  console.error(`${error.code}: ${error.message}`);
  process.exitCode = error.code === "INVALID_OPTION" ? usageError : 1;
}
