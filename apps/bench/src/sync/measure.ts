import type { Progress } from "../progress.ts";
import { WorkerProcess } from "../worker-process.ts";
import { now } from "./change.ts";
import type { Mode, Prepared, Request, Run, SideResult, SyncBroker } from "./protocol.ts";

/** Changes before the measurement, for warming up: at most so many seconds, and a fifth of the run. */
const longestWarmUp = 3;

/** For both sides to be asked, in ms. */
const headStart = 500;

export interface MeasureOptions {
  readonly broker: SyncBroker;
  readonly mode: Mode;
  readonly subscriptions: number;
  readonly rate: number;
  readonly seconds: number;
  /** Of mosquitto. */
  readonly url: string | undefined;
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** One run: server and client in processes of their own. */
export async function measureSync(
  options: MeasureOptions,
): Promise<{ client: SideResult; server: SideResult }> {
  const { broker, mode, subscriptions, rate, seconds, url, signal, progress } = options;
  await using server = side("server", signal);
  await using client = side("client", signal);
  const prepare = { kind: "prepare", broker, subscriptions, batched: mode === "batched" } as const;
  const opened = (await server.ask({ ...prepare, url })) as Prepared;
  await client.ask({ ...prepare, url: opened.url });

  const from = now() + headStart;
  const measureFrom = from + Math.min(longestWarmUp, seconds / 5) * 1_000;
  const until = measureFrom + seconds * 1_000;
  const run: Run = { kind: "run", rate, from, measureFrom, until };
  progress.start(`${broker}, ${mode}`.padEnd(18), Math.ceil(seconds));
  const timer = setInterval(() => {
    const done = Math.floor((now() - measureFrom) / 1_000);
    progress.advance(Math.min(seconds, Math.max(0, done)));
  }, 250);
  try {
    const [ofServer, ofClient] = await Promise.all([server.ask(run), client.ask(run)]);
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
