import { formatBytes, formatCount, formatFactor, formatRate } from "../../format.ts";
import { type Bar, barChart } from "../../page/bar-chart.ts";
import { document } from "../../page/document.ts";
import { environmentCard } from "../../page/environment-card.ts";
import { glossary } from "../../page/glossary.ts";
import { html, type Markup } from "../../page/html.ts";
import { type Problems, problemsCard } from "../../page/problems-card.ts";
import { targetsCard } from "../../page/targets-card.ts";
import { definitions } from "../definitions.ts";
import { rowName, type ThroughputReport, type ThroughputRow } from "../report.ts";
import { targetsOf } from "../targets.ts";

/** `report.html` of `throughput`. */
export function throughputPage(report: ThroughputReport, problems: Problems): string {
  const { params, rows } = report;
  const title = "What consuming a message costs on each broker";
  const brokers = [...new Set(rows.map(({ broker }) => broker))];
  return document(
    title,
    html`<header><h1>${title}</h1>
<p class="lead">${brokers.map((broker) => sentence(rows.filter((row) => row.broker === broker)))}</p></header>
${targetsCard(targetsOf(report), "None of these brokers has figures to reach.")}
${problemsCard(problems)}
<div class="pair">
<section class="card"><h3>What was run</h3><dl class="facts">
<dt>Messages</dt><dd>${params.bodyBytes} bytes, ${formatCount(params.keys)} keys, queued before the consumer came</dd>
<dt>Handler</dt><dd>asynchronous, does nothing</dd>
<dt>Lanes</dt><dd>${params.lanes}</dd>
<dt>Window</dt><dd>${formatCount(params.window)} unsettled messages at most</dd>
<dt>Rounds</dt><dd>${params.rounds}; figures are medians</dd>
</dl></section>
${environmentCard(report.environment, report.startedAt)}</div>
${brokers.map((broker, i) =>
  section(
    rows.filter((row) => row.broker === broker),
    `b${i}`,
  ),
)}
${glossary(definitions)}`,
  );
}

function sentence(rows: readonly ThroughputRow[]): string {
  const ours = rows.filter(({ client }) => client === null);
  const [first] = ours;
  if (first === undefined) return "";
  const best = ours.reduce((a, b) => (b.perSecond > a.perSecond ? b : a));
  return `${first.broker}: ${formatRate(best.perSecond)}, ${formatFactor(best.overRaw)} the raw loop. `;
}

function section(rows: readonly ThroughputRow[], id: string): Markup {
  const first = rows[0] as ThroughputRow;
  return html`<section><h2>${first.broker} ${first.brokerVersion}${first.real ? "" : html` <span class="tag">not a real broker</span>`}</h2>
<div class="card">${table(rows)}</div>
<div class="pair">
<section class="card"><h3>Rate</h3>${barChart(
    `Messages a second, ${first.broker}`,
    rows.map((row) => bar(row, row.perSecond, formatRate)),
    `${id}-rate`,
  )}<p class="note">Longer is better.</p></section>
<section class="card"><h3>CPU a message</h3>${barChart(
    `CPU time a message, ${first.broker}`,
    rows.map((row) => bar(row, row.cpuUsPerMessage, formatMicroseconds)),
    `${id}-cpu`,
  )}<p class="note">Shorter is better.</p></section>
</div></section>`;
}

function bar(row: ThroughputRow, value: number, format: (value: number) => string): Bar {
  return { name: rowName(row), value, text: format(value), own: row.client === null };
}

function formatMicroseconds(us: number): string {
  return `${us.toFixed(2)} µs`;
}

const columns: readonly {
  readonly label: string;
  readonly value: (row: ThroughputRow) => number;
  readonly format: (value: number) => string;
}[] = [
  { label: "Rate", value: (row) => row.perSecond, format: formatRate },
  { label: "Over raw", value: (row) => row.overRaw, format: formatFactor },
  { label: "CPU a message", value: (row) => row.cpuUsPerMessage, format: formatMicroseconds },
  { label: "Over raw", value: (row) => row.cpuOverRaw, format: formatFactor },
  { label: "Resident before", value: (row) => row.residentBytes.before, format: formatBytes },
  { label: "Most meanwhile", value: (row) => row.residentBytes.peak, format: formatBytes },
];

function table(rows: readonly ThroughputRow[]): Markup {
  const messages = formatCount(rows[0]?.messages ?? 0);
  return html`<table class="stack" role="table"><caption>${messages} messages in each measurement. The first row is the raw loop.</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Variant</th>${columns.map(({ label }) => html`<th scope="col" role="columnheader">${label}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (
      row,
    ) => html`<tr role="row" data-broker="${row.broker}" data-variant="${row.variant}"><th scope="row" role="rowheader">${rowName(row)}</th>
${columns.map(({ label, value, format }) => html`<td role="cell" data-label="${label}"><data value="${value(row)}">${format(value(row))}</data></td>`)}</tr>`,
  )}</tbody></table>`;
}
