import { formatCount, formatMs, formatRate } from "../format.ts";
import { document } from "../page/document.ts";
import { environmentCard } from "../page/environment-card.ts";
import { glossary } from "../page/glossary.ts";
import { html, type Markup } from "../page/html.ts";
import { targetsCard } from "../page/targets-card.ts";
import { definitions } from "./definitions.ts";
import { latencyChart } from "./latency-chart.ts";
import type { SyncReport, SyncRun } from "./report.ts";
import { figureRows, memoryLine } from "./table.ts";
import { targetsOf } from "./targets.ts";

/** `report.html` of `sync`. */
export function syncPage(report: SyncReport): string {
  const { params, runs } = report;
  const title = "A server that mirrors its values to a client";
  const rate =
    params.rate === 0
      ? "as many as can be sent, one side after the other,"
      : formatRate(params.rate);
  return document(
    title,
    html`<header><h1>${title}</h1><p class="lead">${runs.map(sentence)}</p></header>
${targetsCard(targetsOf(report), "Figures to reach are judged for lab-mqtt-broker, with 40,000 subscriptions, and a rate of 20,000 or max.")}
<div class="pair">
<section class="card"><h3>What was run</h3><dl class="facts">
<dt>Topics</dt><dd>${formatCount(params.subscriptions)}, half of them changed by each side</dd>
<dt>Rate</dt><dd>${rate} on each side</dd>
<dt>Time</dt><dd>${params.seconds} s in each run</dd>
<dt>Messages</dt><dd>QoS 1, retained</dd>
</dl></section>
${environmentCard(report.environment, report.startedAt)}</div>
${runs.map((run, i) => section(run, `r${i}`))}
${glossary(definitions)}`,
  );
}

function sentence({ mode, side, perSecond, latencyMs }: SyncRun): string {
  return `${mode}, ${side}: ${formatRate(perSecond)}, P50 ${formatMs(latencyMs.p50)}, P99 ${formatMs(latencyMs.p99)}. `;
}

function section(run: SyncRun, id: string): Markup {
  const { head, rows } = figureRows(run);
  const { broker, brokerVersion, real, mode, side } = run;
  return html`<section><h2>${broker} ${brokerVersion}, ${mode}, ${side}${real ? "" : html` <span class="tag">not a real broker</span>`}</h2>
<div class="card"><table class="stack" role="table" data-mode="${mode}" data-side="${side}"><caption>${memoryLine(run)}</caption>
<thead role="rowgroup"><tr role="row">${head.map((label) => html`<th scope="col" role="columnheader">${label}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(
    ([name = "", ...cells]) =>
      html`<tr role="row"><th scope="row" role="rowheader">${name}</th>${cells.map((cell, i) => html`<td role="cell" data-label="${head[i + 1] ?? ""}">${cell}</td>`)}</tr>`,
  )}</tbody></table></div>
<section class="card"><h3>Latency over time</h3>${latencyChart(run, id)}<p class="note">End-to-end latency of each second, on a logarithmic axis. Solid: P50. Dashed: P99.</p></section></section>`;
}
