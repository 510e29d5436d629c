import { formatCount, formatFactor } from "../format.ts";
import { targetLines } from "../target.ts";
import { textTable } from "../text-table.ts";
import { type EngineReport, rowName } from "./report.ts";
import { targetsOf } from "./targets.ts";

/** A table for each number of keys, then the figures to reach. */
export function engineTables(report: EngineReport): string {
  const head = ["", "ns a message", "over bare await", "bytes a message"];
  const tables = report.params.keys.map((keys) => {
    const rows = report.rows
      .filter((row) => row.keys === keys)
      .map((row) => [
        rowName(row),
        row.nsPerMessage.toFixed(0),
        formatFactor(row.overBareAwait),
        formatCount(row.bytesPerMessage),
      ]);
    return `${formatCount(keys)} keys\n${textTable([head, ...rows])}\n`;
  });
  return tables.join("") + targetLines(targetsOf(report));
}
