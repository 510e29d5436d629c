import { scaleLinear, scaleLog } from "d3-scale";
import { line } from "d3-shape";
import { formatMs } from "../format.ts";
import { html, type Markup } from "../page/html.ts";
import type { SyncRun } from "./report.ts";

const width = 420;
const height = 260;
const left = 62;
const right = 412;
const top = 14;
const bottom = 216;
const shortest = 0.1;

/** P50 and P99 of every second of a run, on a logarithmic axis. Seconds in which nothing came are left out. */
export function latencyChart({ timeline, mode, side }: SyncRun, id: string): Markup {
  const points = timeline
    .map((point, second) => ({ ...point, second: second + 0.5 }))
    .filter(({ count }) => count > 0);
  if (points.length === 0) return html`<p class="note">Nothing was mirrored.</p>`;
  const longest = Math.max(10, ...points.map(({ p99 }) => p99));
  const x = scaleLinear().domain([0, timeline.length]).range([left, right]);
  const y = scaleLog()
    .domain([shortest, longest * 1.2])
    .range([bottom, top])
    .clamp(true);
  const path = (figure: "p50" | "p99"): string =>
    line<(typeof points)[number]>(
      ({ second }) => x(second),
      (point) => y(Math.max(shortest, point[figure])),
    )(points) ?? "";
  const last = points.at(-1);
  const ticks = [0.1, 1, 10, 100, 1_000, 10_000, 100_000].filter((ms) => ms <= longest * 1.2);
  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-t ${id}-d">
<title id="${id}-t">End-to-end latency over time, ${mode}, ${side}</title>
<desc id="${id}-d">In the last second half within ${formatMs(last?.p50 ?? 0)}, 99% within ${formatMs(last?.p99 ?? 0)}.</desc>
${ticks.map((ms) => html`<line class="grid" x1="${left}" x2="${right}" y1="${y(ms).toFixed(1)}" y2="${y(ms).toFixed(1)}"/><text class="tick" x="${left - 6}" y="${(y(ms) + 4).toFixed(1)}" text-anchor="end">${ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`}</text>`)}
${x.ticks(6).map((second) => html`<text class="tick" x="${x(second).toFixed(1)}" y="${bottom + 18}" text-anchor="middle">${second}</text>`)}
<text class="axis" x="${(left + right) / 2}" y="${bottom + 38}" text-anchor="middle">s</text>
<g class="series keyed"><path class="line" d="${path("p50")}"/></g><g class="series hashed"><path class="line" d="${path("p99")}"/></g>
</svg>`;
}
