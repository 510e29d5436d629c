import { formatCount, formatFactor } from "../../format.ts";
import { document } from "../../page/document.ts";
import { environmentCard } from "../../page/environment-card.ts";
import { glossary } from "../../page/glossary.ts";
import { html, type Markup } from "../../page/html.ts";
import { targetsCard } from "../../page/targets-card.ts";
import { definitions } from "../definitions.ts";
import { keyedLanes } from "../own.ts";
import { peers } from "../peers.ts";
import { type EngineReport, rowName } from "../report.ts";
import { targetsOf } from "../targets.ts";
import { costChart } from "./cost-chart.ts";

/** `report.html` of `engine`. */
export function enginePage(report: EngineReport): string {
  const { params } = report;
  const title = "What a message costs in the engine";
  return document(
    title,
    html`<header><h1>${title}</h1>
<p class="lead">${lead(report)}</p></header>
${targetsCard(targetsOf(report), "Figures to reach are judged from a million messages on.")}
<div class="pair">
<section class="card"><h3>Time per message</h3>${costChart(report, "cost")}<p class="note">Logarithmic; further left is faster. One mark for each number of keys.</p></section>
<div>${environmentCard(report.environment, report.startedAt)}
<section class="card"><h3>What was run</h3><dl class="facts">
<dt>Messages</dt><dd>${formatCount(params.messages)} in each measurement</dd>
<dt>Rounds</dt><dd>${params.rounds}; figures are medians</dd>
<dt>Lanes</dt><dd>${params.lanes}</dd>
<dt>Window</dt><dd>${params.window} messages in hand at once</dd>
<dt>Handler</dt><dd>asynchronous, does nothing</dd>
</dl></section></div>
</div>
${params.keys.map((keys) => table(report, keys))}
${glossary(definitions)}`,
  );
}

/** The engine against the fastest peer. */
function lead({ rows, params }: EngineReport): string {
  const keys = params.keys.includes(1_000) ? 1_000 : params.keys[0];
  const keyed = rows.find((row) => row.name === keyedLanes.name && row.keys === keys);
  const [fastest] = rows
    .filter((row) => row.keys === keys && peers.some(({ name }) => name === row.name))
    .toSorted((a, b) => a.nsPerMessage - b.nsPerMessage);
  if (keyed === undefined || fastest === undefined) return "";
  return `With ${formatCount(keyed.keys)} keys, keyed lanes take ${keyed.nsPerMessage.toFixed(0)} ns a message; the fastest peer, ${rowName(fastest)}, takes ${fastest.nsPerMessage.toFixed(0)}.`;
}

function table({ rows }: EngineReport, keys: number): Markup {
  return html`<section class="card"><table><caption>${formatCount(keys)} keys</caption>
<thead><tr><th scope="col">Contender</th><th scope="col">ns a message</th><th scope="col">Over bare await</th><th scope="col">Bytes a message</th></tr></thead>
<tbody>${rows
    .filter((row) => row.keys === keys)
    .map(
      (
        row,
      ) => html`<tr data-name="${row.name}" data-keys="${keys}"><th scope="row">${rowName(row)}</th>
<td><data value="${row.nsPerMessage}">${row.nsPerMessage.toFixed(0)}</data></td><td><data value="${row.overBareAwait}">${formatFactor(row.overBareAwait)}</data></td><td><data value="${row.bytesPerMessage}">${formatCount(row.bytesPerMessage)}</data></td></tr>`,
    )}</tbody></table></section>`;
}
