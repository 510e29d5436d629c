import { scaleLinear } from "d3-scale";
import { html, type Markup } from "./html.ts";

const width = 420;
const rowHeight = 40;
const barHeight = 10;

export interface Bar {
  readonly name: string;
  readonly value: number;
  /** As it is written beside the bar. */
  readonly text: string;
  /** Ours, among those of others. */
  readonly own: boolean;
}

/** Bars from 0, one below the other, each with its name and value above it. */
export function barChart(title: string, bars: readonly Bar[], id: string): Markup {
  const x = scaleLinear()
    .domain([0, Math.max(Number.MIN_VALUE, ...bars.map(({ value }) => value))])
    .range([0, width]);
  return html`<svg class="chart" viewBox="0 0 ${width} ${bars.length * rowHeight}" role="img" aria-labelledby="${id}-t ${id}-d">
<title id="${id}-t">${title}</title>
<desc id="${id}-d">${bars.map(({ name, text }) => `${name}: ${text}. `)}</desc>
${bars.map(({ name, value, text, own }, row) => {
  const y = row * rowHeight;
  return html`<g class="bar ${own ? "own" : "other"}"><text class="name" x="0" y="${y + 14}">${name}</text>
<text class="value" x="${width}" y="${y + 14}" text-anchor="end">${text}</text>
<rect x="0" y="${y + 20}" width="${x(value).toFixed(1)}" height="${barHeight}" rx="2"/></g>`;
})}
</svg>`;
}
