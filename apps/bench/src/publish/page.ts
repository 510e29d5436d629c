import { formatFactor, formatRate } from "../format.ts";
import { barChart } from "../page/bar-chart.ts";
import { document } from "../page/document.ts";
import { environmentCard } from "../page/environment-card.ts";
import { glossary } from "../page/glossary.ts";
import { html, type Markup } from "../page/html.ts";
import { type Problems, problemsCard } from "../page/problems-card.ts";
import { targetsCard } from "../page/targets-card.ts";
import { definitions } from "./definitions.ts";
import { byBroker, type PublishReport, type PublishRow, rowName } from "./report.ts";
import { targetsOf } from "./targets.ts";

/** `report.html` of `publish`. */
export function publishPage(report: PublishReport, problems: Problems): string {
  const { params, rows } = report;
  const title = "Publishing one at a time, and in batches";
  const sections = byBroker(rows).map((own, i) => section(own, `b${i}`));
  return document(
    title,
    html`<header><h1>${title}</h1></header>
${targetsCard(targetsOf(report), "None of these brokers has figures to reach.")}
${problemsCard(problems)}
<div class="pair">
<section class="card"><h3>What was run</h3><dl class="facts">
<dt>Messages</dt><dd>${params.bodyBytes} bytes, each confirmed by the broker</dd>
<dt>Measurements</dt><dd>${params.seconds} s at most each</dd>
<dt>Rounds</dt><dd>${params.rounds}; figures are medians</dd>
</dl></section>
${environmentCard(report.environment, report.startedAt)}</div>
${sections}
${glossary(definitions)}`,
  );
}

function section(rows: readonly PublishRow[], id: string): Markup {
  const first = rows[0] as PublishRow;
  const bars = rows.map((row) => ({
    name: rowName(row),
    value: row.perSecond,
    text: formatRate(row.perSecond),
    own: row.client === null,
  }));
  return html`<section><h2>${first.broker} ${first.brokerVersion}${first.real ? "" : html` <span class="tag">not a real broker</span>`}</h2>
<div class="pair">
<section class="card"><table><thead><tr><th scope="col">Variant</th><th scope="col">Messages a second</th><th scope="col">Over awaited</th></tr></thead>
<tbody>${rows.map(
    (
      row,
    ) => html`<tr data-broker="${row.broker}" data-variant="${row.variant}" data-batch="${row.batch}" data-client="${row.client ?? ""}"><th scope="row">${rowName(row)}</th>
<td><data value="${row.perSecond}">${formatRate(row.perSecond)}</data></td><td><data value="${row.overAwaited}">${formatFactor(row.overAwaited)}</data></td></tr>`,
  )}</tbody></table></section>
<section class="card">${barChart(`Messages a second, ${first.broker}`, bars, id)}</section>
</div></section>`;
}
