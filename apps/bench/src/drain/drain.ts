import type { Rig } from "@lab/contract";
import type { NamedRig } from "../brokers.ts";
import { thisEnvironment } from "../environment.ts";
import type { Progress } from "../progress.ts";
import { percentile } from "../statistics.ts";
import { type Configuration, configurationName, configurations } from "./configuration.ts";
import { failuresOf } from "./failures.ts";
import type { DrainOptions } from "./options.ts";
import type { DrainReport } from "./report.ts";
import type { DetailedRun, DrainResult } from "./result.ts";
import { drainOnce, type Measurement } from "./run.ts";
import { createWorkload } from "./workload.ts";

export interface DrainHooks {
  readonly signal: AbortSignal;
  /** How long a run may stand still before it is given up. @default 30_000 ms */
  readonly patience?: number;
  readonly progress: Progress;
  /** Called when all runs on a broker are done. */
  readonly onBroker: (runs: readonly DetailedRun[]) => void;
}

/** Drains the same backlog through every configuration, on each broker in turn. */
export async function drain(
  options: DrainOptions,
  rigs: readonly NamedRig[],
  hooks: DrainHooks,
): Promise<Omit<DrainResult, "skipped">> {
  const startedAt = new Date().toISOString();
  const workload = createWorkload(options.workload);
  const failures: string[] = [];
  const runs: DetailedRun[] = [];
  for (const { rig } of rigs) {
    const ofBroker: DetailedRun[] = [];
    for (const configuration of configurations(options.configs, options.dispatch)) {
      hooks.progress.start(
        `${rig.broker}, ${configurationName(configuration)}`.padEnd(28),
        workload.messages,
      );
      const measured = await drainOnce(rig, workload, configuration, {
        window: options.window,
        patience: hooks.patience ?? 30_000,
        signal: hooks.signal,
        onProgress: hooks.progress.advance,
      }).finally(hooks.progress.stop);
      const run = detailedRun(rig, configuration, options.window, measured);
      ofBroker.push(run);
      failures.push(...failuresOf(run, measured));
    }
    const compared = withSpeedup(ofBroker);
    hooks.onBroker(compared);
    runs.push(...compared);
  }
  return { report: reportOf(options, startedAt, rigs, runs), runs, failures };
}

function detailedRun(
  rig: Rig,
  { dispatch, lanes }: Configuration,
  window: number,
  measured: Measurement,
): DetailedRun {
  const { bindMs, elapsedMs, handlerMs, boundMs, waits, spans, ledger } = measured;
  return {
    broker: rig.broker,
    brokerVersion: rig.brokerVersion,
    real: rig.real,
    dispatch,
    lanes,
    elapsedMs,
    throughput: ratio(ledger.handled, elapsedMs) * 1000,
    speedup: null,
    handlerMs,
    boundMs,
    overBound: ratio(elapsedMs, boundMs),
    waitMs: { p50: percentile(waits, 0.5), p99: percentile(waits, 0.99) },
    violations: ledger.violations,
    overlaps: ledger.overlaps,
    duplicates: ledger.duplicates + ledger.repeats,
    lost: ledger.lost,
    leftOnBroker: measured.leftOnBroker,
    maxUnsettled: measured.maxUnsettled,
    window,
    bindMs,
    waits,
    spans,
  };
}

function withSpeedup(runs: readonly DetailedRun[]): DetailedRun[] {
  const inline = runs.find((run) => run.dispatch === "inline");
  if (inline === undefined || inline.elapsedMs === 0) return [...runs];
  return runs.map((run) => ({
    ...run,
    speedup: run.elapsedMs === 0 ? null : inline.elapsedMs / run.elapsedMs,
  }));
}

/** 0 where there is nothing to divide by: in a run in which nothing was handled. */
function ratio(dividend: number, divisor: number): number {
  return divisor === 0 ? 0 : dividend / divisor;
}

function reportOf(
  options: DrainOptions,
  startedAt: string,
  rigs: readonly NamedRig[],
  runs: readonly DetailedRun[],
): DrainReport {
  const { configs, dispatch, keyDist, window, workload } = options;
  const { messages, keys, handler, scale, seed } = workload;
  return {
    kind: "drain",
    startedAt,
    environment: thisEnvironment(),
    params: {
      brokers: rigs.map(({ name }) => name),
      configs,
      dispatch,
      messages,
      keys,
      keyDist,
      handler,
      scale,
      window,
      seed,
    },
    runs: runs.map(({ bindMs, waits, spans, ...run }) => run),
  };
}
