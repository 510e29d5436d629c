import { formatCount, formatFactor, formatMs, formatOverBound, formatRate } from "../../format.ts";
import { html, type Markup } from "../../page/html.ts";
import { configurationName } from "../configuration.ts";
import type { DetailedRun } from "../result.ts";

interface Column {
  readonly label: string;
  /** The field of `report.json` that it shows. */
  readonly field: string;
  readonly value: (run: DetailedRun) => number | null;
  readonly format: (value: number) => string;
  /** A count that has to be 0. */
  readonly mustBeZero?: boolean;
  /** What the runs are compared by. */
  readonly strong?: boolean;
}

const results: readonly Column[] = [
  { label: "Elapsed", field: "elapsedMs", value: (run) => run.elapsedMs, format: formatMs },
  { label: "Throughput", field: "throughput", value: (run) => run.throughput, format: formatRate },
  {
    label: "Speed-up",
    field: "speedup",
    value: (run) => run.speedup,
    format: formatFactor,
    strong: true,
  },
  {
    label: "Over the bound",
    field: "overBound",
    value: (run) => run.overBound,
    format: formatOverBound,
  },
  { label: "Wait p50", field: "waitMs.p50", value: (run) => run.waitMs.p50, format: formatMs },
  { label: "Wait p99", field: "waitMs.p99", value: (run) => run.waitMs.p99, format: formatMs },
  {
    label: "Order violations",
    field: "violations",
    value: (run) => run.violations,
    format: formatCount,
    mustBeZero: true,
  },
];

const checks: readonly Column[] = [
  {
    label: "Overlaps",
    field: "overlaps",
    value: (run) => run.overlaps,
    format: formatCount,
    mustBeZero: true,
  },
  {
    label: "Duplicates",
    field: "duplicates",
    value: (run) => run.duplicates,
    format: formatCount,
    mustBeZero: true,
  },
  {
    label: "Lost",
    field: "lost",
    value: (run) => run.lost,
    format: formatCount,
    mustBeZero: true,
  },
  {
    label: "Left on the broker",
    field: "leftOnBroker",
    value: (run) => run.leftOnBroker,
    format: formatCount,
    mustBeZero: true,
  },
  {
    label: "Most unsettled",
    field: "maxUnsettled",
    value: (run) => run.maxUnsettled,
    format: formatCount,
  },
  { label: "Handler time", field: "handlerMs", value: (run) => run.handlerMs, format: formatMs },
  { label: "Bound", field: "boundMs", value: (run) => run.boundMs, format: formatMs },
];

export function resultTable(runs: readonly DetailedRun[], caption: string): Markup {
  return table(runs, caption, results);
}

/** What was checked and counted besides the published figures. */
export function checkTable(runs: readonly DetailedRun[], caption: string): Markup {
  return table(runs, caption, checks);
}

/** On a phone every row becomes a card; the roles keep it a table for assistive technology. */
function table(runs: readonly DetailedRun[], caption: string, columns: readonly Column[]): Markup {
  return html`<table class="stack" role="table"><caption>${caption}</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Configuration</th>${columns.map(
    ({ label }) => html`<th scope="col" role="columnheader">${label}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">
${runs.map(
  (
    run,
  ) => html`<tr role="row" class="${run.dispatch}" data-broker="${run.broker}" data-dispatch="${run.dispatch}" data-lanes="${run.lanes}"><th scope="row" role="rowheader"><span class="swatch ${run.dispatch}" aria-hidden="true"></span>${configurationName(run)}</th>${columns.map((column) => cell(run, column))}</tr>
`,
)}</tbody></table>`;
}

function cell(run: DetailedRun, { label, field, format, ...column }: Column): Markup {
  const value = column.value(run);
  const wrong = column.mustBeZero === true && value !== 0;
  const kind = wrong ? "wrong" : column.strong === true ? "strong" : "";
  const figure = value === null ? "–" : html`<data value="${value}">${format(value)}</data>`;
  return html`<td role="cell" class="${kind}" data-label="${label}" data-field="${field}">${figure}${wrong ? " ✗" : ""}</td>`;
}
