import { formatBytes, formatCount, formatFactor, formatRate } from "../format.ts";
import { textTable } from "../text-table.ts";
import { rowName, type ThroughputRow } from "./report.ts";

/** The rows of one broker. */
export function throughputTable(rows: readonly ThroughputRow[]): string {
  const first = rows[0];
  const simulated = first?.real === false ? " (not a real broker)" : "";
  const title = `${first?.broker} ${first?.brokerVersion}${simulated}, ${formatCount(first?.messages ?? 0)} messages`;
  const head = [
    "",
    "rate",
    "over raw",
    "CPU a message",
    "over raw",
    "resident before",
    "most meanwhile",
  ];
  const lines = rows.map((row) => [
    rowName(row),
    formatRate(row.perSecond),
    formatFactor(row.overRaw),
    `${row.cpuUsPerMessage.toFixed(2)} µs`,
    formatFactor(row.cpuOverRaw),
    formatBytes(row.residentBytes.before),
    formatBytes(row.residentBytes.peak),
  ]);
  return `${title}\n${textTable([head, ...lines])}`;
}
