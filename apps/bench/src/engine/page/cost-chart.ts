import { scaleLog } from "d3-scale";
import {
  type SymbolType,
  symbol,
  symbolCircle,
  symbolDiamond,
  symbolSquare,
  symbolTriangle,
} from "d3-shape";
import { formatCount } from "../../format.ts";
import { html, type Markup } from "../../page/html.ts";
import type { EngineReport, EngineRow } from "../report.ts";

const width = 420;
const left = 152;
const right = 408;
const rowHeight = 32;
const top = 30;
const marks: readonly SymbolType[] = [symbolCircle, symbolSquare, symbolTriangle, symbolDiamond];

/** Time per message of every contender on a logarithmic axis, with a mark of its own for each number of keys. */
export function costChart({ rows, params }: EngineReport, id: string): Markup {
  const times = rows.map((row) => row.nsPerMessage);
  const x = scaleLog()
    .domain([Math.min(...times) * 0.8, Math.max(...times) * 1.2])
    .range([left, right]);
  const names = [...new Set(rows.map((row) => row.name))];
  const bottom = top + names.length * rowHeight;
  const ticks = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000].filter(
    (ns) => x(ns) >= left && x(ns) <= right,
  );
  return html`<svg class="chart" viewBox="0 0 ${width} ${bottom + 40}" role="img" aria-labelledby="${id}-t ${id}-d">
<title id="${id}-t">Time per message</title>
<desc id="${id}-d">${rows.map((row) => `${row.name}, ${formatCount(row.keys)} keys: ${row.nsPerMessage.toFixed(0)} ns. `)}</desc>
${params.keys.map((keys, i) => {
  const at = 6 + (i * width) / 4;
  return html`<path class="mark" d="${shape(i)}" transform="translate(${at.toFixed(1)},10)"/><text class="tick" x="${(at + 8).toFixed(1)}" y="14">${shortCount(keys)} keys</text>`;
})}
${ticks.map((ns) => {
  const at = x(ns).toFixed(1);
  return html`<line class="grid" x1="${at}" x2="${at}" y1="${top}" y2="${bottom + 4}"/><text class="tick" x="${at}" y="${bottom + 18}" text-anchor="middle">${formatCount(ns)}</text>`;
})}
<text class="axis" x="${(left + right) / 2}" y="${bottom + 36}" text-anchor="middle">ns a message</text>
${names.map((name, row) => drawRow(name, rows, params.keys, top + (row + 0.5) * rowHeight, x))}
</svg>`;
}

function drawRow(
  name: string,
  rows: readonly EngineRow[],
  keys: readonly number[],
  y: number,
  x: (ns: number) => number,
): Markup {
  const own = rows.filter((row) => row.name === name);
  const kind = own[0]?.peer !== null ? "peer" : name.endsWith("lanes") ? "lanes" : "own";
  const spots = own.map((row) => x(row.nsPerMessage));
  return html`<g class="contender ${kind}"><text class="name" x="0" y="${y + 4}">${name}</text>
<line class="base" x1="${Math.min(...spots).toFixed(1)}" x2="${Math.max(...spots).toFixed(1)}" y1="${y}" y2="${y}"/>
${own.map((row) => html`<path class="mark" d="${shape(keys.indexOf(row.keys))}" transform="translate(${x(row.nsPerMessage).toFixed(1)},${y})"/>`)}</g>`;
}

function shape(index: number): string {
  return (symbol(marks[index], 58)() ?? "").replace(/(\.\d\d)\d+/g, "$1");
}

function shortCount(count: number): string {
  if (count >= 1e6) return `${count / 1e6}M`;
  return count >= 1000 ? `${count / 1000}k` : String(count);
}
