import { formatCount, formatFactor, formatMs, formatOverBound, formatRate } from "../format.ts";
import { textTable } from "../text-table.ts";
import { configurationName } from "./configuration.ts";
import type { DrainRun } from "./report.ts";

/** The published table, for the runs on one broker. */
export function drainTable(runs: readonly DrainRun[]): string {
  const first = runs[0];
  const simulated = first?.real === false ? " (not a real broker)" : "";
  const title = `${first?.broker} ${first?.brokerVersion}${simulated}`;
  const head = [
    "configuration",
    "elapsed",
    "throughput",
    "speed-up",
    "over bound",
    "p50 wait",
    "p99 wait",
    "violations",
  ];
  const rows = runs.map((run) => [
    configurationName(run),
    formatMs(run.elapsedMs),
    formatRate(run.throughput),
    formatFactor(run.speedup),
    formatOverBound(run.overBound),
    formatMs(run.waitMs.p50),
    formatMs(run.waitMs.p99),
    formatCount(run.violations),
  ]);
  const remark = runs.some((run) => run.speedup === null)
    ? "No speed-up: it is against inline, which is not in --configs.\n"
    : "";
  return `${title}\n${textTable([head, ...rows])}${remark}`;
}
