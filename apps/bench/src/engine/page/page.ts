import { formatCount, formatFactor } from "../../format.ts";
import { document } from "../../page/document.ts";
import { environmentCard } from "../../page/environment-card.ts";
import { html, type Markup } from "../../page/html.ts";
import { keyedLanes } from "../own.ts";
import type { EngineReport } from "../report.ts";
import { targetsOf } from "../targets.ts";
import { costChart } from "./cost-chart.ts";

const definitions: Readonly<Record<string, string>> = {
  "ns a message":
    "Time for all messages ÷ their number: the median of the rounds. The handler is asynchronous and does nothing, so this is what the engine adds.",
  "Over bare await":
    "The median over the rounds of the time per message ÷ that of a loop that awaits the same handler, in the same round. The loop keeps no window, no lanes and no order.",
  "Bytes a message":
    "Growth of the heap ÷ messages, in a process whose young generation is so large that nothing is collected meanwhile. The promise of the handler is in it.",
  Peers:
    "32 queues of one message at a time, the lane of a key by its hash: the cheapest way to keep order with each of them.",
  Rounds:
    "Every contender runs in a process of its own, and all take turns within a round. Messages are built, and garbage is collected, before the clock starts.",
};

/** `report.html` of `engine`. */
export function enginePage(report: EngineReport): string {
  const { params } = report;
  const title = "What a message costs in the engine";
  return document(
    title,
    html`<header><h1>${title}</h1>
<p class="lead">${lead(report)}</p></header>
${targets(report)}
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
<section><h2>What the figures mean</h2><dl class="words">${Object.entries(definitions).map(([word, meaning]) => html`<dt>${word}</dt><dd>${meaning}</dd>`)}</dl></section>`,
  );
}

/** The engine against the fastest peer, with the fewest keys there are. */
function lead({ rows }: EngineReport): string {
  const keyed = rows.find(({ name }) => name === keyedLanes.name);
  const peers = rows.filter(({ peer, keys }) => peer !== null && keys === keyed?.keys);
  const [fastest] = peers.toSorted((a, b) => a.nsPerMessage - b.nsPerMessage);
  if (keyed === undefined || fastest === undefined) return "";
  return `With ${formatCount(keyed.keys)} keys, keyed lanes take ${keyed.nsPerMessage.toFixed(0)} ns a message; the fastest peer, ${fastest.peer}, takes ${fastest.nsPerMessage.toFixed(0)}.`;
}

function targets(report: EngineReport): Markup {
  const all = targetsOf(report);
  if (all.length === 0) {
    return html`<section class="card verdict"><p class="note">Figures to reach are judged from a million messages on.</p></section>`;
  }
  const kind = all.every(({ reached }) => reached) ? "" : "failed";
  return html`<section class="card verdict ${kind}"><b>Figures to reach</b><ul class="plain">${all.map(
    ({ text, reached }) => html`<li>${reached ? "✓" : "✗ not reached:"} ${text}</li>`,
  )}</ul></section>`;
}

function table({ rows }: EngineReport, keys: number): Markup {
  return html`<section class="card"><table><caption>${formatCount(keys)} keys</caption>
<thead><tr><th scope="col">Contender</th><th scope="col">ns a message</th><th scope="col">Over bare await</th><th scope="col">Bytes a message</th></tr></thead>
<tbody>${rows
    .filter((row) => row.keys === keys)
    .map(
      (
        row,
      ) => html`<tr data-name="${row.name}" data-keys="${keys}"><th scope="row">${row.peer ?? row.name}</th>
<td><data value="${row.nsPerMessage}">${row.nsPerMessage.toFixed(0)}</data></td><td><data value="${row.overBareAwait}">${formatFactor(row.overBareAwait)}</data></td><td><data value="${row.bytesPerMessage}">${formatCount(row.bytesPerMessage)}</data></td></tr>`,
    )}</tbody></table></section>`;
}
