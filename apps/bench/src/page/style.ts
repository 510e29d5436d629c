/** The look of every report: light and dark, narrow and wide. Meaning is never in colour alone. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: #f6f7f9; --card: #ffffff; --ink: #16202c; --soft: #566373; --rule: #d9dee5; --track: #e6eaef;
  --keyed: #0a5fb4; --keyed-2: #5b9ee0; --keyed-3: #062e5c;
  --hashed: #b4540a; --hashed-2: #e09a5b; --hashed-3: #5c2906;
  --inline: #56616e; --inline-2: #97a2af; --inline-3: #222a33;
  --good: #12703c; --bad: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0f141a; --card: #171e26; --ink: #e7edf4; --soft: #9dabba; --rule: #2e3945; --track: #222b35;
    --keyed: #5aa9f5; --keyed-2: #2f6fb3; --keyed-3: #d3e8ff;
    --hashed: #f0a35c; --hashed-2: #a8642a; --hashed-3: #ffe6cf;
    --inline: #a3b0be; --inline-2: #66727f; --inline-3: #eef3f8;
    --good: #63cf92; --bad: #ff8a80;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 40px 24px 64px; }
h1 { font-size: 30px; line-height: 1.2; margin: 0 0 8px; letter-spacing: -0.01em; }
h2 { font-size: 21px; line-height: 1.3; margin: 44px 0 12px; }
h3 { font-size: 16px; margin: 0 0 2px; }
p { margin: 0 0 12px; max-width: 72ch; }
.lead { font-size: 18px; }
.note, .sub, figcaption, dt { color: var(--soft); }
.note, .sub { font-size: 14px; }
svg + .note { margin-top: 12px; }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 10px; padding: 18px 20px; margin: 0 0 16px; min-width: 0; }
.pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 16px; }
.verdict { border-left: 5px solid var(--good); }
.verdict.failed { border-left-color: var(--bad); }
.verdict b { color: var(--good); }
.verdict.failed b { color: var(--bad); }
.verdict ul { margin: 6px 0 0; padding-left: 20px; }
.verdict ul.plain { list-style: none; padding-left: 0; }
.tag { display: inline-block; border: 1px dashed currentColor; border-radius: 999px; padding: 0 9px; font-size: 13px; font-weight: 500; color: var(--soft); vertical-align: 2px; }
dl.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 3px 16px; margin: 8px 0 0; font-size: 15px; }
dl.facts dd { margin: 0; overflow-wrap: anywhere; }
dl.words { margin: 0; }
dl.words dt { color: var(--ink); font-weight: 600; margin-top: 10px; }
dl.words dd { margin: 0; color: var(--soft); max-width: 80ch; }
code { font: 14px/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }

table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 15px; }
caption { text-align: left; color: var(--soft); font-size: 14px; padding-bottom: 8px; }
th, td { padding: 7px 10px; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap; }
thead th { color: var(--soft); font-weight: 500; font-size: 14px; vertical-align: bottom; white-space: normal; }
th:first-child { text-align: left; padding-left: 0; }
td:last-child, thead th:last-child { padding-right: 0; }
tbody th { font-weight: 600; }
tbody tr:last-child > * { border-bottom: 0; }
.swatch { display: inline-block; width: 12px; height: 12px; margin-right: 8px; vertical-align: -1px; background: var(--inline); }
.swatch.keyed { background: var(--keyed); border-radius: 50%; }
.swatch.hashed { background: var(--hashed); }
.swatch.inline { height: 4px; vertical-align: 3px; }
tr.keyed tr.hashed td.wrong { color: var(--bad); font-weight: 700; }
details { margin-top: 12px; }
summary { cursor: pointer; color: var(--soft); font-size: 14px; }
details[open] summary { margin-bottom: 8px; }

svg.chart { display: block; width: 100%; max-width: 520px; height: auto; margin: 8px auto 0; }
svg text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; fill: var(--ink); }
svg .tick, svg .axis, svg .remark { fill: var(--soft); }
svg .remark { font-style: italic; }
svg .remark, svg .value, svg .name { paint-order: stroke; stroke: var(--card); stroke-width: 4px; stroke-linejoin: round; }
svg .grid { stroke: var(--rule); stroke-width: 1; }
svg .hatch { stroke: var(--rule); stroke-width: 2.5; }
svg .ideal { fill: none; stroke: var(--soft); stroke-width: 1.2; stroke-dasharray: 2 4; }
svg .bound { fill: none; stroke: var(--ink); stroke-width: 1.6; }
svg .series .line { fill: none; stroke-width: 2.2; }
svg .name { font-weight: 600; }
svg .keyed .line { stroke: var(--keyed); } svg .keyed .mark, svg .name.keyed { fill: var(--keyed); }
svg .hashed .line { stroke: var(--hashed); stroke-dasharray: 6 4; } svg .hashed .mark, svg .name.hashed { fill: var(--hashed); }
svg .mark { stroke: var(--card); stroke-width: 1.5; }
svg .ridge .density { fill: var(--inline-2); } svg .ridge.keyed .density { fill: var(--keyed-2); } svg .ridge.hashed .density { fill: var(--hashed-2); }
svg .ridge .base { stroke: var(--soft); stroke-width: 0.8; }
svg .ridge .p50 { stroke: var(--ink); stroke-width: 2; }
svg .ridge .p99 { fill: var(--ink); }
svg .mark { fill: var(--inline); }
svg .bar.own rect { fill: var(--keyed); } svg .bar.other rect { fill: var(--inline-2); }
svg .contender .base { stroke: var(--rule); stroke-width: 3; }
svg .contender.lanes .mark, svg .contender.lanes .name { fill: var(--keyed); }
svg .contender.peer .mark { fill: var(--hashed); }

.timelines { margin: 14px 0 26px; }
.timeline { margin: 0 0 10px; }
.timeline figcaption { display: flex; flex-wrap: wrap; gap: 2px 14px; font-size: 14px; font-variant-numeric: tabular-nums; }
.timeline figcaption b { color: var(--ink); }
.timeline svg { display: block; width: 100%; margin-top: 4px; }
.timeline .idle { fill: var(--track); }
.timeline path { fill: none; stroke-width: 0.8; }
.timeline path.even { stroke: var(--inline); } .timeline path.odd { stroke: var(--inline-2); } .timeline path.chain { stroke: var(--inline-3); }
.timeline.keyed path.even { stroke: var(--keyed); } .timeline.keyed path.odd { stroke: var(--keyed-2); } .timeline.keyed path.chain { stroke: var(--keyed-3); }
.timeline.hashed path.even { stroke: var(--hashed); } .timeline.hashed path.odd { stroke: var(--hashed-2); } .timeline.hashed path.chain { stroke: var(--hashed-3); }
.time-axis { position: relative; height: 20px; border-top: 1px solid var(--rule); font-size: 12.5px; color: var(--soft); font-variant-numeric: tabular-nums; }
.time-axis span { position: absolute; top: 0; padding-left: 4px; border-left: 1px solid var(--rule); white-space: nowrap; }
.time-axis span.late { transform: translateX(-100%); padding: 0 4px 0 0; border-left: 0; border-right: 1px solid var(--rule); }

@media (max-width: 720px) {
  main { padding: 24px 12px 48px; }
  h1 { font-size: 25px; }
  .card { padding: 14px 12px; }
  .pair { grid-template-columns: minmax(0, 1fr); gap: 0; }
  svg text { font-size: 14.5px; }
  th, td { padding: 7px 6px; }
  tbody th { white-space: normal; }
  table.stack, table.stack tbody, table.stack caption { display: block; }
  table.stack thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table.stack tr { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 2px 12px; padding: 10px 0; border-bottom: 1px solid var(--rule); }
  table.stack tr:last-child { border-bottom: 0; }
  table.stack th, table.stack td { border: 0; padding: 0; text-align: left; white-space: normal; }
  table.stack tbody th { grid-column: 1 / 3; align-self: center; }
  table.stack td:last-child { grid-column: 3; grid-row: 1; }
  table.stack td::before { content: attr(data-label); display: block; color: var(--soft); font-size: 12.5px; line-height: 1.3; }
  }
`;
