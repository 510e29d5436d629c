import { spawn } from "node:child_process";
import { once } from "node:events";
import { relative } from "node:path";
import { LabError } from "@lab/core";
import { findCommand } from "../command.ts";
import { composeFile } from "../docker.ts";
import type { BrokerKind } from "../kind.ts";
import { type BrokerName, kinds } from "../kinds/index.ts";

/** Installs native servers from Debian's packages. */
export async function install(
  names: readonly BrokerName[],
  { dryRun }: { readonly dryRun: boolean },
): Promise<number> {
  const missing: BrokerKind[] = [];
  for (const name of names) {
    const { product, command, version } = kinds[name].native;
    const path = findCommand(command);
    if (path === undefined) missing.push(kinds[name]);
    else console.log(`${name}: ${product} ${await version(path)} is installed: ${path}`);
  }
  if (missing.length === 0) return 0;

  const commands = aptCommands(missing.flatMap(({ native }) => native.packages));
  if (commands === undefined) {
    for (const kind of missing) tellDocker(kind);
    return 1;
  }
  console.log(`${dryRun ? "Would run" : "Runs"}:`);
  for (const command of commands) console.log(`  ${command.join(" ")}`);
  for (const { native } of missing) console.log(native.note);
  if (dryRun) return 0;

  for (const command of commands) await runVisibly(command);
  for (const { name, native } of missing) {
    const path = findCommand(native.command);
    if (path === undefined) {
      throw new LabError(
        "BROKER_START_FAILED",
        `apt-get succeeded, but there is no ${native.command} on PATH or in the sbin folders beside it.`,
      );
    }
    console.log(`${name}: ${native.product} ${await native.version(path)} is installed: ${path}`);
  }
  return 0;
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

function tellDocker({ name, urlVariable, schemes, docker, native }: BrokerKind): void {
  const file = relative(process.cwd(), composeFile);
  const { plain } = schemes;
  console.log(
    `${name}: this machine has no apt-get that can be run as root, so ${native.product} cannot be installed from here.\n` +
      "Install it yourself, or run it in docker; the test bed finds either. To run it by hand:\n" +
      `  docker compose -f ${file} --profile ${docker.profile} up --detach --wait\n` +
      `  export ${urlVariable}=${plain.name}://127.0.0.1:${plain.port}`,
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
