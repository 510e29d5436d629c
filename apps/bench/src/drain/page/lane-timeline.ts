import { scaleLinear } from "d3-scale";
import { formatMs } from "../../format.ts";
import { html, type Markup } from "../../page/html.ts";
import { configurationName } from "../configuration.ts";
import type { DetailedRun, Span } from "../result.ts";

/** Units across the picture: half a pixel on a wide screen. Spans are rounded to it, which keeps the file small. */
const across = 2000;
/** Messages narrower than this are drawn as one block with their neighbour. */
const narrowest = 5;

/** The lanes of runs over time, one strip for each lane. Runs given together share their time axis. */
export function laneTimelines(runs: readonly DetailedRun[]): Markup {
  const longest = Math.max(1, ...runs.map((run) => run.elapsedMs));
  return html`<div class="timelines">${runs.map((run) => timeline(run, longest))}${axis(longest)}</div>`;
}

function timeline(run: DetailedRun, longest: number): Markup {
  const x = scaleLinear().domain([0, longest]).rangeRound([0, across]);
  const end = x(run.elapsedMs);
  const busy = run.elapsedMs > 0 ? run.handlerMs / (run.elapsedMs * run.lanes) : 0;
  const name = configurationName(run);
  const paths = blocks(run, x);
  const height = Math.min(400, Math.max(18, run.lanes * laneHeight(run.lanes)));
  return html`<figure class="timeline ${run.dispatch}">
<figcaption><b>${name}</b> <span>${formatMs(run.elapsedMs)}</span> <span>lanes busy ${(busy * 100).toFixed(0)}%</span></figcaption>
<svg viewBox="0 0 ${across} ${run.lanes}" preserveAspectRatio="none" style="height:${height}px" role="img" aria-label="${name}: lanes busy for ${(busy * 100).toFixed(0)}% of ${formatMs(run.elapsedMs)}">
<rect class="idle" width="${end}" height="${run.lanes}"/>
<g transform="translate(0 .5)"><path class="even" d="${paths.even}"/><path class="odd" d="${paths.odd}"/><path class="chain" d="${paths.chain}"/></g>
</svg>
</figure>`;
}

function laneHeight(lanes: number): number {
  return lanes > 40 ? 4 : lanes > 16 ? 6 : 12;
}

interface Paths {
  even: string;
  odd: string;
  chain: string;
}

/** The messages of a lane in turn in two tones, and those of the key with the longest chain over them in a third. */
function blocks(run: DetailedRun, x: (ms: number) => number): Paths {
  const chainKey = longestKey(run.spans);
  const lanes = Array.from({ length: run.lanes }, (): Span[] => []);
  for (const span of run.spans) lanes[span.lane]?.push(span);
  const paths: Paths = { even: "", odd: "", chain: "" };
  for (const [lane, unsorted] of lanes.entries()) {
    const spans = unsorted.toSorted((a, b) => a.start - b.start);
    const stroke = ({ from, to }: Block): string => `M${from} ${lane}h${to - from}`;
    for (const [i, block] of merged(spans, x).entries()) {
      paths[i % 2 === 0 ? "even" : "odd"] += stroke(block);
    }
    const ofChain = spans.filter((span) => span.key === chainKey);
    paths.chain += merged(ofChain, x).map(stroke).join("");
  }
  return paths;
}

interface Block {
  readonly from: number;
  to: number;
}

/** The spans in units of the picture; neighbours that are too narrow to be told apart are one block. */
function merged(spans: readonly Span[], x: (ms: number) => number): Block[] {
  const found: Block[] = [];
  let last: Block | undefined;
  for (const span of spans) {
    const from = x(span.start);
    const to = Math.max(from + 1, x(span.end));
    const narrow = to - from < narrowest || (last !== undefined && last.to - last.from < narrowest);
    if (last !== undefined && from - last.to <= 1 && narrow) {
      last.to = to;
    } else {
      last = { from, to };
      found.push(last);
    }
  }
  return found;
}

function longestKey(spans: readonly Span[]): number {
  const chains = new Map<number, number>();
  for (const { key, start, end } of spans) chains.set(key, (chains.get(key) ?? 0) + end - start);
  let longest = -1;
  for (const [key, ms] of chains) if (ms > (chains.get(longest) ?? 0)) longest = key;
  return longest;
}

function axis(longest: number): Markup {
  const ticks = scaleLinear().domain([0, longest]).ticks(5);
  return html`<div class="time-axis" aria-hidden="true">${ticks.map((ms) => {
    const share = ms / longest;
    return html`<span class="${share > 0.86 ? "late" : ""}" style="left:${(share * 100).toFixed(2)}%">${ms === 0 ? "0" : formatTick(ms)}</span>`;
  })}</div>`;
}

function formatTick(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Number((ms / 1000).toFixed(2))} s`;
}
