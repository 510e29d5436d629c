import { spawn } from "node:child_process";
import { once } from "node:events";
import { relative } from "node:path";
import { LabError } from "@lab/core";
import { findCommand } from "../command.ts";
import { composeFile } from "../docker.ts";
import { type BrokerKind, hasNative, type NativeKind, type Tool } from "../kind.ts";
import { type BrokerName, kinds } from "../kinds/index.ts";

/** Installs native servers: from Debian's packages, and what these do not have from where it is published. */
export async function install(
  names: readonly BrokerName[],
  { dryRun }: { readonly dryRun: boolean },
): Promise<number> {
  const missing: NativeKind[] = [];
  for (const name of names) {
    const kind: BrokerKind = kinds[name];
    if (!hasNative(kind)) tellNothing(kind);
    else if (lacks(kind) === undefined) await tellInstalled(kind);
    else missing.push(kind);
  }
  const tools = names
    .flatMap((name) => (kinds[name] as BrokerKind).tools ?? [])
    .filter((tool) => !tool.isThere());
  if (missing.length === 0 && tools.length === 0) return 0;

  const packages = [
    ...missing.filter(lacksCommand).flatMap(({ native }) => native.packages),
    ...tools.flatMap((tool) => tool.packages),
  ];
  const aptGet = packages.length === 0 ? [] : aptCommands([...new Set(packages)]);
  if (aptGet === undefined) {
    for (const kind of missing) tellDocker(kind);
    for (const tool of tools) tellTool(tool);
    return 1;
  }
  const commands = [...aptGet, ...missing.flatMap(({ native }) => native.fetch?.() ?? [])];
  console.log(`${dryRun ? "Would run" : "Runs"}:`);
  for (const command of commands) console.log(`  ${command.join(" ")}`);
  for (const { native } of missing) console.log(native.note);
  if (dryRun) return 0;

  for (const command of commands) await runVisibly(command);
  for (const kind of missing) {
    const lack = lacks(kind);
    if (lack !== undefined) {
      throw new LabError(
        "BROKER_START_FAILED",
        `Everything succeeded, and yet ${kind.name} is not installed: ${lack}.`,
      );
    }
    await tellInstalled(kind);
  }
  for (const { name } of tools) console.log(`${name}: installed`);
  return 0;
}

/** What is missing. */
function lacks({ native: { command, missing } }: NativeKind): string | undefined {
  if (findCommand(command) !== undefined) return missing?.();
  return `there is no ${command} on PATH or in the sbin folders beside it`;
}

/** A command is missing that its packages have: the server's own, or one that fetches the rest. */
function lacksCommand({ native: { command, fetch } }: NativeKind): boolean {
  const commands = [command, ...(fetch?.() ?? []).map(([name = ""]) => name)];
  return commands.some((name) => findCommand(name) === undefined);
}

async function tellInstalled({ name, native }: NativeKind): Promise<void> {
  const path = findCommand(native.command) ?? native.command;
  console.log(`${name}: ${native.product} ${await native.version(path)} is installed: ${path}`);
}

/** Undefined where there is no apt-get, or no way to run it as root. */
function aptCommands(packages: readonly string[]): readonly (readonly string[])[] | undefined {
  const root = process.getuid?.() === 0;
  if (!findCommand("apt-get") || !(root || findCommand("sudo"))) return undefined;
  const apt = root ? ["apt-get"] : ["sudo", "apt-get"];
  return [
    [...apt, "update"],
    [...apt, "install", "--yes", "--no-install-recommends", ...packages],
  ];
}

function tellDocker(kind: NativeKind): void {
  console.log(
    `${kind.name}: this machine has no apt-get that can be run as root, so ${kind.native.product} cannot be installed from here.\n` +
      `Install it yourself, or run it in docker; the test bed finds either. To run it by hand:\n${byHand(kind)}`,
  );
}

function tellTool({ name, packages }: Tool): void {
  console.log(
    `${name}: install it yourself, for tests that use it; on Debian: ${packages.join(" ")}`,
  );
}

function tellNothing(kind: BrokerKind): void {
  const embedded = kind.embedded && ` Without it ${kind.embedded.product} stands in for it.`;
  console.log(
    `${kind.name}: nothing to install: its server comes as a container only.${embedded ?? ""} To run it by hand:\n${byHand(kind)}`,
  );
}

function byHand({ urlVariable, schemes: { plain }, docker }: BrokerKind): string {
  const file = relative(process.cwd(), composeFile);
  return (
    `  docker compose -f ${file} --profile ${docker.profile} up --detach --wait\n` +
    `  export ${urlVariable}=${plain.name}://127.0.0.1:${plain.port}`
  );
}

async function runVisibly([command = "", ...args]: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: "inherit" });
  const [code] = await once(child, "exit");
  if (code !== 0) {
    throw new LabError(
      "BROKER_START_FAILED",
      `\`${[command, ...args].join(" ")}\` failed with exit code ${code}; its output above says why.`,
    );
  }
}
