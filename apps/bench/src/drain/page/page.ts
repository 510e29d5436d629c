import { formatCount, formatFactor, formatMs } from "../../format.ts";
import { document } from "../../page/document.ts";
import { environmentCard } from "../../page/environment-card.ts";
import { glossary } from "../../page/glossary.ts";
import { html, type Markup } from "../../page/html.ts";
import { configurationName } from "../configuration.ts";
import { definitions } from "../definitions.ts";
import type { DetailedRun, DrainResult } from "../result.ts";
import { laneTimelines } from "./lane-timeline.ts";
import { checkTable, resultTable } from "./result-table.ts";
import { speedupChart } from "./speedup-chart.ts";
import { waitChart } from "./wait-chart.ts";

/** `report.html` of `drain`. */
export function drainPage(result: DrainResult): string {
  const { params } = result.report;
  const title = `${formatCount(params.messages)} messages of ${formatCount(params.keys)} keys, drained`;
  return document(
    title,
    html`<header><h1>${title}</h1>
<p class="lead">${headline(result)}</p></header>
${verdict(result)}
${setUp(result)}
${byBroker(result.runs).map((runs, i) => brokerSection(runs, `b${i}`))}
${glossary(definitions)}`,
  );
}

/** The best run of each broker in a sentence. */
function headline({ runs }: DrainResult): Markup {
  const sentences = byBroker(runs).map((ofBroker) => {
    const best = ofBroker.reduce((a, b) => (b.elapsedMs < a.elapsedMs ? b : a));
    const compared =
      best.speedup === null || best.dispatch === "inline"
        ? html`in ${formatMs(best.elapsedMs)}`
        : html`in ${formatMs(best.elapsedMs)}, <b>${formatFactor(best.speedup)}</b> as fast as inline`;
    return html`${brokerName(best)}: ${configurationName(best)} drained the backlog ${compared}. `;
  });
  return html`${sentences}`;
}

function verdict({ runs, failures, skipped }: DrainResult): Markup {
  const notRun = skipped.map(
    ({ broker, why }) => html`<p class="note">Not run: ${broker}. ${why}</p>`,
  );
  if (failures.length > 0) {
    return html`<section class="card verdict failed"><b>✗ ${failures.length === 1 ? "One check" : `${failures.length} checks`} did not hold.</b>
<ul>${failures.map((failure) => html`<li>${failure}</li>`)}</ul>${notRun}</section>`;
  }
  return html`<section class="card verdict"><b>✓ Every check held in all ${runs.length} runs:</b> the order of each key was kept, no two messages of a key were handled at once, each message was handled once, and the broker held nothing afterwards.${notRun}</section>`;
}

function setUp({ report }: DrainResult): Markup {
  const { environment, params, startedAt } = report;
  const handler = params.handler.map((ms) => formatMs(ms * params.scale)).join(" to ");
  return html`<div class="pair">
<section class="card"><h3>What was run</h3><dl class="facts">
<dt>Backlog</dt><dd>${formatCount(params.messages)} messages, queued before the subscriber came</dd>
<dt>Keys</dt><dd>${formatCount(params.keys)}, ${params.keyDist}</dd>
<dt>Handler</dt><dd>${handler}, uniform (${params.handler.join(" to ")} ms × ${params.scale})</dd>
<dt>Window</dt><dd>${formatCount(params.window)} unsettled deliveries at most</dd>
<dt>Seed</dt><dd>${params.seed}: the same keys and handler times for each run</dd>
</dl></section>
${environmentCard(environment, startedAt)}</div>`;
}

function brokerSection(runs: readonly DetailedRun[], id: string): Markup {
  const first = runs[0] as DetailedRun;
  const bind = Math.max(...runs.map((run) => run.bindMs));
  return html`<section><h2>${brokerName(first)}${first.real ? "" : html` <span class="tag">not a real broker</span>`}</h2>
<div class="card">${resultTable(runs, "Every run drains the same backlog. Elapsed is from the first delivery to the last settle.")}
<details><summary>Checks and counts</summary>${checkTable(runs, `Window ${formatCount(first.window)}. Connecting and subscribing took ${formatMs(bind)} at most, and is not in elapsed.`)}</details></div>
<div class="pair">
<section class="card"><h3>Speed-up over inline</h3>${speedupChart(runs, `${id}-speedup`)}
<p class="note">Both axes are logarithmic. The plain solid line is the bound: it rises with the lanes (dotted: for ever) until the longest chain of one key is all that counts.</p></section>
<section class="card"><h3>Wait in the process</h3>${waitChart(runs, `${id}-wait`)}
<p class="note">From delivery to the start of the handler; the axis is logarithmic. Each ridge shows where the waits of one run lie. Bar: half of them are shorter; triangle: 99% are.</p></section>
</div>
<section class="card"><h3>Lanes over time</h3>
<p class="note">One strip for each lane. Blocks are messages in two tones; the third tone is the key with the most work. Pale: idle. Runs with the same number of lanes share their time axis.</p>
${byLanes(runs).map(laneTimelines)}</section></section>`;
}

function brokerName({ broker, brokerVersion }: DetailedRun): string {
  return `${broker} ${brokerVersion}`.trim();
}

function byBroker(runs: readonly DetailedRun[]): DetailedRun[][] {
  return groups(runs, (run) => run.broker);
}

function byLanes(runs: readonly DetailedRun[]): DetailedRun[][] {
  return groups(runs, (run) => (run.dispatch === "inline" ? "inline" : run.lanes));
}

/** In the order in which each group first occurs. */
function groups<T>(items: readonly T[], by: (item: T) => unknown): T[][] {
  const found = new Map<unknown, T[]>();
  for (const item of items) {
    const group = found.get(by(item));
    if (group === undefined) found.set(by(item), [item]);
    else group.push(item);
  }
  return [...found.values()];
}
