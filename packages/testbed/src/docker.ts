import { fileURLToPath } from "node:url";
import { LabError } from "@lab/core";
import { findCommand, run } from "./command.ts";
import { freePort } from "./free-port.ts";
import { openGuard } from "./guard.ts";
import type { BrokerKind } from "./kind.ts";
import { saveOnSignal } from "./save.ts";
import type { Server } from "./server.ts";
import { local } from "./target.ts";

export const composeFile: string = fileURLToPath(
  new URL("../../../docker/compose.yaml", import.meta.url),
);

const askLimit = 10_000;
/** The first start pulls the image. */
const upLimit = 300_000;

/** The image that docker would run; or why it cannot. */
export async function dockerImage(kind: BrokerKind): Promise<{ image: string } | { why: string }> {
  const docker = findCommand("docker");
  if (docker === undefined) return { why: "there is no docker command on PATH" };
  const ask = (...args: string[]) => run(docker, args, { timeout: askLimit });
  try {
    await ask("version", "--format", "{{.Server.Version}}");
  } catch {
    return { why: "no docker engine answers" };
  }
  try {
    const { profile, service } = kind.docker;
    const compose = ["compose", "-f", composeFile, "--profile", profile];
    return { image: (await ask(...compose, "config", "--images", service)).trim() };
  } catch (error) {
    return { why: `docker compose does not work: ${(error as Error).message}` };
  }
}

/** Starts a container in a compose project of its own, so that several can run, and nobody else's is touched. */
export async function startDocker(
  kind: BrokerKind,
  signal?: AbortSignal,
  advertised = 0,
): Promise<Server> {
  const docker = findCommand("docker") ?? "docker";
  const { profile, service, portVariable, advertise, dataFolder, save, admin } = kind.docker;
  const port = await freePort();
  const behindProxy = advertise && (await freePort());
  const env = {
    [portVariable]: `${port}`,
    ...(advertise && {
      [advertise.portVariable]: `${behindProxy}`,
      [advertise.advertisedVariable]: `${advertised}`,
    }),
  };
  const project = `messaging-lab-${kind.name}-${port}`;
  const base = ["compose", "-p", project, "-f", composeFile, "--profile", profile];
  const compose = (args: readonly string[], timeout = upLimit, abort?: AbortSignal) =>
    run(docker, [...base, ...args], { env, timeout, signal: abort });

  const target = local(port);
  let running = false;
  const up = async (abort?: AbortSignal) => {
    await compose(["up", "--detach", "--wait", service], upLimit, abort);
    running = true;
    return kind.handshake(target, { signal: abort });
  };

  const asAdmin = (...args: string[]) => compose(["exec", "-T", service, admin ?? "", ...args]);

  const guard = await openGuard(
    '"$1" compose -p "$owned" -f "$2" --profile "$3" down --volumes --timeout 0',
    [docker, composeFile, profile],
  );
  guard.owns(project);
  const stop = async () => {
    await compose(["down", "--volumes", "--timeout", "0"]);
    await guard.release();
  };

  try {
    const identity = await up(signal);
    return {
      target,
      behindProxy,
      identity,
      ...(admin && { admin: asAdmin }),
      control: {
        save: async () => {
          if (save === undefined || !running) return;
          if ("admin" in save) {
            await asAdmin(...save.admin);
            return;
          }
          await saveOnSignal(
            save,
            async (name) => void (await compose(["kill", "--signal", name, service])),
            (file) =>
              compose([
                "exec",
                "-T",
                service,
                "stat",
                "-c",
                "%i %Y",
                `${dataFolder}/${file}`,
              ]).catch(() => undefined),
          );
        },
        kill: async () => {
          if (running) await compose(["kill", "--signal", "SIGKILL", service]);
          running = false;
        },
        start: async () => void (await up()),
      },
      stop,
    };
  } catch (error) {
    const log = await compose(["logs", "--no-color", "--tail", "50", service]).catch(String);
    await stop().catch(() => undefined);
    signal?.throwIfAborted();
    throw new LabError(
      "BROKER_START_FAILED",
      `docker compose did not bring up ${service}: ${(error as Error).message}\nIts log ends:\n${log}`,
      { cause: error },
    );
  }
}
