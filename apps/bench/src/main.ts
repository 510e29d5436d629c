import { LabError } from "@lab/core";
import type { Command, Context } from "./command.ts";
import { drainCommand } from "./drain/command.ts";
import { engineCommand } from "./engine/command.ts";
import { invalidOption } from "./invalid-option.ts";
import { publishCommand } from "./publish/command.ts";
import { syncCommand } from "./sync/command.ts";
import { throughputCommand } from "./throughput/command.ts";

const commands: readonly Command[] = [
  drainCommand,
  throughputCommand,
  publishCommand,
  syncCommand,
  engineCommand,
];

const help = `Compares subscriber designs and engines, and draws the comparison.

Usage: npm run bench -- [command] [options]

${commands.map(({ name, summary }) => `  ${name.padEnd(12)}${summary}`).join("\n")}

Without a command: drain. \`npm run bench -- <command> --help\` lists the options of a command.
`;

/** Runs the command that the arguments name; resolves to the exit code: 2 for arguments that cannot work. */
export async function main(argv: readonly string[], context: Context): Promise<number> {
  try {
    const [first, ...rest] = argv;
    if (first === "--help" || first === "-h" || first === "help") {
      context.out.write(help);
      return 0;
    }
    if (first === undefined || first.startsWith("-")) return await drainCommand.run(argv, context);
    const command = commands.find(({ name }) => name === first);
    if (command === undefined) {
      const names = commands.map(({ name }) => name);
      const known = `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
      throw invalidOption(
        "command",
        first,
        known,
        "`npm run bench -- --help` says what each does.",
      );
    }
    return await command.run(rest, context);
  } catch (error) {
    if (context.signal.aborted) {
      context.err.write("\nInterrupted.\n");
      return 130;
    }
    if (!(error instanceof LabError)) throw error;
    context.err.write(`${error.code}: ${error.message}\n`);
    return error.code === "INVALID_OPTION" ? 2 : 1;
  }
}
