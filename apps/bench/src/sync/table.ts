import { formatCount } from "../format.ts";
import { textTable } from "../text-table.ts";
import type { SyncRun } from "./report.ts";

/** The columns of every distribution. */
const figures = ["avg", "p50", "p90", "p95", "p99", "p999", "max", "min", "stddev"] as const;

const head = ["", "avg", "P50", "P90", "P95", "P99", "P99.9", "max", "min", "std dev", "count"];

/** One side of one run as rows of figures: the names of the first column, then those of `head`. */
export function figureRows(run: SyncRun): {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
} {
  const { modifications, processingMs, latencyMs, received } = run;
  const line = (
    name: string,
    of: Readonly<Record<(typeof figures)[number], number>>,
    count: number,
    digits: number,
  ): string[] => [name, ...figures.map((figure) => of[figure].toFixed(digits)), formatCount(count)];
  return {
    head,
    rows: [
      line("Modifications a second", modifications, modifications.count, 0),
      line("Processing latency (ms)", processingMs, received, 2),
      line("End-to-end latency (ms)", latencyMs, received, 2),
    ],
  };
}

/** What else is said of one side of one run. */
export function memoryLine({ sent, received, rssMB, heapMB, allocMBps }: SyncRun): string {
  return (
    `Sent ${formatCount(sent)}, received ${formatCount(received)}. ` +
    `Memory ${rssMB.toFixed(0)} MB, heap ${heapMB.toFixed(0)} MB, allocated ${allocMBps.toFixed(1)} MB/s.`
  );
}

/** Both sides of one run. */
export function syncTable(runs: readonly SyncRun[]): string {
  return runs
    .map((run) => {
      const { broker, brokerVersion, real, mode, side } = run;
      const simulated = real ? "" : " (not a real broker)";
      const title = `${broker} ${brokerVersion}${simulated}, ${mode}, ${side}`;
      const { head: columns, rows } = figureRows(run);
      return `${title}\n${textTable([columns, ...rows])}${memoryLine(run)}\n`;
    })
    .join("\n");
}
