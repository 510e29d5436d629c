import { formatFactor, formatRate } from "../format.ts";
import { textTable } from "../text-table.ts";
import { type PublishRow, rowName } from "./report.ts";

/** The rows of one broker. */
export function publishTable(rows: readonly PublishRow[]): string {
  const first = rows[0];
  const simulated = first?.real === false ? " (not a real broker)" : "";
  const lines = rows.map((row) => [
    rowName(row),
    formatRate(row.perSecond),
    formatFactor(row.overAwaited),
  ]);
  const table = textTable([["", "messages a second", "over awaited"], ...lines]);
  return `${first?.broker} ${first?.brokerVersion}${simulated}\n${table}`;
}
