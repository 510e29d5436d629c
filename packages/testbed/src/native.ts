import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StartOptions } from "./broker.ts";
import { run } from "./command.ts";
import { areFree, freePort } from "./free-port.ts";
import { openGuard } from "./guard.ts";
import type { Identity, NativeKind, NativePlan } from "./kind.ts";
import { ServerProcess } from "./process.ts";
import { untilReady } from "./ready.ts";
import { saveOnSignal } from "./save.ts";
import type { Server } from "./server.ts";
import { local, type Target } from "./target.ts";

const portAttempts = 5;
const adminLimit = 30_000;
const nothing = "none";
const cleanUp = `[ "$owned" = ${nothing} ] || kill -s KILL -- "-$owned"; rm -rf -- "$1"`;

/** Starts an installed server on a private port, with a private data folder. */
export async function startNative(
  kind: NativeKind,
  path: string,
  options: StartOptions,
  choosePort: () => Promise<number> = freePort,
  advertised = 0,
): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), `messaging-lab-${kind.name}-`));
  const guard = await openGuard(cleanUp, [folder]);
  guard.owns(nothing);
  let server: ServerProcess | undefined;
  let plan: NativePlan | undefined;

  const startOn = async (port: number, signal?: AbortSignal) => {
    plan = await kind.native.prepare(folder, port, options, advertised);
    const { command = path, args, env, ca } = plan;
    server = new ServerProcess(command, args, folder, env);
    if (server.pid !== undefined) guard.owns(`${server.pid}`);
    const target = local(port, options);
    const identity = await untilReady(kind, target, { ca, signal }, server);
    if (identity.version !== "unknown") return { target, ca, identity };
    return { target, ca, identity: { ...identity, version: await kind.native.version(path) } };
  };

  const startOnFreePort = async (signal?: AbortSignal) => {
    for (let attempt = 1; ; attempt++) {
      const port = await choosePort();
      try {
        return await startOn(port, signal);
      } catch (error) {
        await kill();
        // A port that was free when it was chosen can be taken by anybody before the server binds it.
        const taken = !signal?.aborted && !(await areFree([port, ...(plan?.ports ?? [])]));
        if (!taken || attempt === portAttempts) throw error;
      }
    }
  };

  const save = async (): Promise<void> => {
    const saving = server;
    const how = kind.native.save;
    if (how === undefined || !saving?.running) return;
    if ("admin" in how) {
      await admin(...how.admin);
      return;
    }
    await saveOnSignal(
      how,
      (signal) => saving.signal(signal),
      async (file) => {
        if (!saving.running) return "ended by itself";
        const found = await stat(join(folder, file)).catch(() => undefined);
        return found && `${found.ino} ${found.mtimeMs}`;
      },
    );
  };

  const kill = async (): Promise<void> => {
    await server?.kill();
    guard.owns(nothing);
  };

  const admin = async (...args: string[]): Promise<string> => {
    const { admin: command = "", env = {} } = plan ?? {};
    return run(command, args, { env, timeout: adminLimit });
  };

  const stop = async (): Promise<void> => {
    await kill();
    await rm(folder, { recursive: true, force: true });
    await guard.release();
  };

  let answering: { target: Target; ca: string | undefined; identity: Identity };
  try {
    answering = await startOnFreePort(options.signal);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    get target() {
      return answering.target;
    },
    get ca() {
      return answering.ca;
    },
    get behindProxy() {
      return plan?.behindProxy;
    },
    identity: answering.identity,
    ...(plan?.admin !== undefined && { admin }),
    control: {
      save,
      kill,
      start: async () => {
        if (!server?.running) answering = await startOnFreePort();
      },
    },
    stop,
  };
}
