import type { Progress } from "../progress.ts";
import { WorkerProcess } from "../worker-process.ts";
import { now, type Side } from "./change.ts";
import type { Mode, Prepared, Request, SideResult, SyncBroker } from "./protocol.ts";

/** Changes before the measurement, for warming up: at most so many seconds, and a fifth of the run. */
const longestWarmUp = 3;

/** For both sides to be asked, in ms. */
const headStart = 500;

export interface MeasureOptions {
  readonly broker: SyncBroker;
  readonly mode: Mode;
  readonly subscriptions: number;
  /** Changes a second on each side; 0: as many as can be sent. */
  readonly rate: number;
  readonly seconds: number;
  /** Of mosquitto. */
  readonly url: string | undefined;
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

export type Sides = Readonly<Record<Side, SideResult>>;

/**
 * One run. At a rate both sides change values at once; as fast as they can, one after the other, and without echoes:
 * otherwise the two would share what the client can read.
 */
export async function measureSync(options: MeasureOptions): Promise<Sides> {
  if (options.rate > 0) return await measureOnce(options, ["server", "client"]);
  const fromServer = await measureOnce(options, ["server"]);
  const fromClient = await measureOnce(options, ["client"]);
  return {
    server: { ...fromClient.server, sent: fromServer.server.sent },
    client: { ...fromServer.client, sent: fromClient.client.sent },
  };
}

/** Server and client in processes of their own; `sending` are the sides that change values. */
async function measureOnce(options: MeasureOptions, sending: readonly Side[]): Promise<Sides> {
  const { broker, mode, subscriptions, rate, seconds, url, signal, progress } = options;
  await using server = side("server", signal);
  await using client = side("client", signal);
  const batched = mode === "batched";
  const prepare = { kind: "prepare", broker, subscriptions, batched, echo: rate > 0 } as const;
  const opened = (await server.ask({ ...prepare, url })) as Prepared;
  await client.ask({ ...prepare, url: opened.url });

  const from = now() + headStart;
  const measureFrom = from + Math.min(longestWarmUp, seconds / 5) * 1_000;
  const until = measureFrom + seconds * 1_000;
  const run = { kind: "run", rate, from, measureFrom, until } as const;
  const whose = sending.length > 1 ? "" : `, ${sending[0]}`;
  progress.start(`${broker}, ${mode}${whose}`.padEnd(25), Math.ceil(seconds));
  const timer = setInterval(() => {
    const done = Math.floor((now() - measureFrom) / 1_000);
    progress.advance(Math.min(seconds, Math.max(0, done)));
  }, 250);
  try {
    const [ofServer, ofClient] = await Promise.all([
      server.ask({ ...run, changes: sending.includes("server") }),
      client.ask({ ...run, changes: sending.includes("client") }),
    ]);
    return { server: ofServer as SideResult, client: ofClient as SideResult };
  } finally {
    clearInterval(timer);
    progress.stop();
  }
}

function side(
  name: "server" | "client",
  signal: AbortSignal,
): WorkerProcess<Request, Prepared | SideResult> {
  return new WorkerProcess({ name, script: new URL(`./${name}.js`, import.meta.url), signal });
}
