import { scaleLog } from "d3-scale";
import { area, line, symbol, symbolCircle, symbolSquare } from "d3-shape";
import { formatFactor } from "../../format.ts";
import { html, type Markup } from "../../page/html.ts";
import { lowerBound } from "../bound.ts";
import type { DetailedRun } from "../result.ts";

const width = 420;
const height = 370;
const left = 40;
const right = 412;
const top = 18;
const bottom = 326;

interface Point {
  readonly lanes: number;
  readonly speedup: number;
}

/** Speed-up over lanes on one broker, on two logarithmic axes, with what no schedule can reach hatched. */
export function speedupChart(runs: readonly DetailedRun[], id: string): Markup {
  const inline = runs.find((run) => run.dispatch === "inline");
  const laned = runs.filter((run) => run.dispatch !== "inline" && run.speedup !== null);
  if (inline === undefined || inline.speedup === null || laned.length === 0) {
    return html`<p class="note">No speed-up to draw: it takes an inline run and one with lanes.</p>`;
  }
  const mostLanes = Math.max(2, ...laned.map((run) => run.lanes));
  const longestChain = lowerBound(spansAsHandled(inline), Number.POSITIVE_INFINITY).boundMs;
  const ceiling = inline.elapsedMs / longestChain;
  // Twice as far as was run: room for the names, and often the point where more lanes stop helping.
  const far = mostLanes * 2;
  const x = scaleLog().base(2).domain([1, far]).range([left, right]);
  const y = scaleLog().base(2).domain([0.9, far]).range([bottom, top]);
  const reach = reachable(far, ceiling);

  const path = line<Point>(
    (point) => x(point.lanes),
    (point) => y(point.speedup),
  );
  const above = area<Point>(
    (point) => x(point.lanes),
    top,
    (point) => y(point.speedup),
  );
  const ticks = powersOfTwo(far);
  const series = (["hashed", "keyed"] as const).map((dispatch) => ({
    dispatch,
    points: laned
      .filter((run) => run.dispatch === dispatch)
      .map((run) => ({ lanes: run.lanes, speedup: run.speedup ?? 0 }))
      .sort((a, b) => a.lanes - b.lanes),
  }));

  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-t ${id}-d">
<title id="${id}-t">Speed-up over inline against lanes</title>
<desc id="${id}-d">${describe(series, ceiling)}</desc>
<defs><pattern id="${id}-hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<line class="hatch" x1="0" y1="0" x2="0" y2="7"/></pattern></defs>
<path d="${above(reach) ?? ""}" fill="url(#${id}-hatch)"/>
${ticks.map(
  (
    tick,
  ) => html`<line class="grid" x1="${left}" x2="${right}" y1="${px(y(tick))}" y2="${px(y(tick))}"/>
<text class="tick" x="${left - 7}" y="${px(y(tick) + 4)}" text-anchor="end">${tick}×</text>`,
)}
${ticks.map(
  (
    tick,
  ) => html`<line class="grid" x1="${px(x(tick))}" x2="${px(x(tick))}" y1="${bottom}" y2="${bottom + 4}"/>
<text class="tick" x="${px(x(tick))}" y="${bottom + 18}" text-anchor="middle">${tick}</text>`,
)}
<text class="axis" x="${(left + right) / 2}" y="${height - 4}" text-anchor="middle">lanes</text>
<path class="ideal" d="${path(reachable(far, Number.POSITIVE_INFINITY)) ?? ""}"/>
<path class="bound" d="${path(reach) ?? ""}"/>
<text class="remark" x="${left + 10}" y="${top + 16}">no schedule is faster</text>
${series.map(({ dispatch, points }) => drawSeries(dispatch, points, x, y, path(points) ?? ""))}
</svg>`;
}

function drawSeries(
  dispatch: "keyed" | "hashed",
  points: readonly Point[],
  x: (lanes: number) => number,
  y: (speedup: number) => number,
  path: string,
): Markup {
  const mark = symbol(dispatch === "keyed" ? symbolCircle : symbolSquare, 64)() ?? "";
  const [dx, dy, anchor] = dispatch === "keyed" ? [-8, -8, "end"] : [6, 17, "start"];
  const last = points.at(-1);
  const name =
    last === undefined
      ? ""
      : html`<text class="name ${dispatch}" x="${px(x(last.lanes) + 10)}" y="${px(y(last.speedup) + 4)}">${dispatch}</text>`;
  return html`<g class="series ${dispatch}"><path class="line" d="${path}"/>
${points.map(
  (
    point,
  ) => html`<path class="mark" d="${mark}" transform="translate(${px(x(point.lanes))},${px(y(point.speedup))})"/>
<text class="value" x="${px(x(point.lanes) + Number(dx))}" y="${px(y(point.speedup) + Number(dy))}" text-anchor="${anchor}">${formatFactor(point.speedup)}</text>`,
)}
${name}</g>`;
}

/** The line that no schedule crosses: as many times faster as there are lanes, until the longest chain is all there is. */
function reachable(mostLanes: number, ceiling: number): Point[] {
  const corner = Math.max(1, Math.min(mostLanes, ceiling));
  return [1, corner, mostLanes].map((lanes) => ({ lanes, speedup: Math.min(lanes, corner) }));
}

function spansAsHandled(run: DetailedRun): { key: number; ms: number }[] {
  return run.spans.map(({ key, start, end }) => ({ key, ms: end - start }));
}

function powersOfTwo(most: number): number[] {
  return Array.from({ length: Math.floor(Math.log2(most)) + 1 }, (_, power) => 2 ** power);
}

function describe(
  series: readonly { dispatch: string; points: readonly Point[] }[],
  ceiling: number,
): string {
  const lines = series
    .filter(({ points }) => points.length > 0)
    .map(({ dispatch, points }) => {
      const values = points.map(
        ({ lanes, speedup }) => `${formatFactor(speedup)} with ${lanes} lanes`,
      );
      return `${dispatch}: ${values.join(", ")}`;
    });
  return `${lines.join("; ")}. The longest chain of one key allows ${formatFactor(ceiling)} at most.`;
}

const px = (value: number): string => value.toFixed(1);
