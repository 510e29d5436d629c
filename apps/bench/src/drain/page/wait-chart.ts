import { scaleLinear, scaleLog } from "d3-scale";
import { area, curveMonotoneX } from "d3-shape";
import { formatMs } from "../../format.ts";
import { html, type Markup } from "../../page/html.ts";
import { configurationName } from "../configuration.ts";
import type { DetailedRun } from "../result.ts";

const width = 420;
const left = 4;
const right = 412;
const rowHeight = 44;
const ridge = 20;
const bins = 56;

/** How long messages lay in the process before their handler started: one ridge per run, on one logarithmic axis. */
export function waitChart(runs: readonly DetailedRun[], id: string): Markup {
  const longest = Math.max(1, ...runs.map((run) => run.waits.at(-1) ?? 0));
  const decades = [-2, Math.ceil(Math.log10(longest) * 4) / 4] as const;
  const x = scaleLog()
    .domain([10 ** decades[0], 10 ** decades[1]])
    .range([left, right])
    .clamp(true);
  const bottom = runs.length * rowHeight + 6;
  const height = bottom + 38;
  const ticks = Array.from({ length: Math.floor(decades[1]) - decades[0] + 1 }, (_, i) =>
    Number(`1e${decades[0] + i}`),
  );
  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-t ${id}-d">
<title id="${id}-t">Wait from delivery to the start of the handler</title>
<desc id="${id}-d">${runs.map((run) => `${configurationName(run)}: half within ${formatMs(run.waitMs.p50)}, 99% within ${formatMs(run.waitMs.p99)}. `)}</desc>
${ticks.map(
  (
    tick,
  ) => html`<line class="grid" x1="${px(x(tick))}" x2="${px(x(tick))}" y1="4" y2="${bottom + 4}"/>
<text class="tick" x="${px(x(tick))}" y="${bottom + 19}" text-anchor="${tick === ticks[0] ? "start" : "middle"}">${tickName(tick)}</text>`,
)}
<text class="axis" x="${(left + right) / 2}" y="${height - 3}" text-anchor="middle">wait</text>
${runs.map((run, row) => drawRow(run, (row + 1) * rowHeight, x))}
</svg>`;
}

function drawRow(run: DetailedRun, base: number, x: (ms: number) => number): Markup {
  const counts = histogram(run.waits, x);
  const y = scaleLinear()
    .domain([0, Math.max(1, ...counts)])
    .range([base, base - ridge]);
  const step = (right - left) / bins;
  const shape = area<number>()
    .x((_, i) => left + (i + 0.5) * step)
    .y0(base)
    .y1((count) => y(count))
    .curve(curveMonotoneX);
  const p50 = px(x(run.waitMs.p50));
  const p99 = px(x(run.waitMs.p99));
  return html`<g class="ridge ${run.dispatch}"><path class="density" d="${(shape(counts) ?? "").replace(/(\.\d)\d+/g, "$1")}"/>
<line class="base" x1="${left}" x2="${right}" y1="${base}" y2="${base}"/>
<line class="p50" x1="${p50}" x2="${p50}" y1="${base - ridge}" y2="${base}"/>
<path class="p99" d="M${p99} ${base}l-4.5 -9h9z"/>
<text class="name" x="${left}" y="${base - ridge - 6}">${configurationName(run)}</text>
<text class="value" x="${right}" y="${base - ridge - 6}" text-anchor="end">p50 ${formatMs(run.waitMs.p50)} · p99 ${formatMs(run.waitMs.p99)}</text></g>`;
}

/** How many waits fall into each of equally wide strips of the axis. */
function histogram(waits: Float64Array, x: (ms: number) => number): number[] {
  const counts = new Array<number>(bins).fill(0);
  for (const wait of waits) {
    const place = ((x(Math.max(wait, 1e-9)) - left) / (right - left)) * bins;
    const bin = Math.min(bins - 1, Math.max(0, Math.floor(place)));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts;
}

function tickName(ms: number): string {
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  return ms < 1000 ? `${ms} ms` : `${ms / 1000} s`;
}

const px = (value: number): string => value.toFixed(1);
