import { createRequire } from "node:module";
import { startBroker } from "@lab/testbed";
import type { SyncBroker } from "./protocol.ts";
import type { SyncRun } from "./report.ts";

/** What the runs are on. Disposing it ends what was started. */
export interface SyncTarget extends AsyncDisposable {
  readonly about: Pick<SyncRun, "broker" | "brokerVersion" | "real">;
  /** Of a broker that is a process of its own. */
  readonly url: string | undefined;
}

/** How the report names our own. */
export const ownBroker = "lab-mqtt-broker";

const embedded = {
  lab: { broker: ownBroker, package: "@lab/mqtt-broker" },
  aedes: { broker: "aedes", package: "aedes" },
} as const;

/** @throws {LabError} `BROKER_START_FAILED` or `BROKER_UNREACHABLE` */
export async function syncTarget(name: SyncBroker, signal: AbortSignal): Promise<SyncTarget> {
  if (name === "mosquitto") {
    const broker = await startBroker("mqtt", { real: true, signal });
    const about = { broker: broker.product, brokerVersion: broker.version, real: broker.real };
    return { about, url: broker.directUrl, [Symbol.asyncDispose]: () => broker.stop() };
  }
  const { broker, package: from } = embedded[name];
  const about = { broker, brokerVersion: versionOf(from), real: false };
  return { about, url: undefined, [Symbol.asyncDispose]: async () => {} };
}

function versionOf(name: string): string {
  const manifest = createRequire(import.meta.url)("../../package.json") as {
    dependencies: Record<string, string>;
  };
  return manifest.dependencies[name] ?? "unknown";
}
