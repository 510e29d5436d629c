import type { Environment } from "../environment.ts";
import { formatBytes } from "../format.ts";
import { html, type Markup } from "./html.ts";

/** On what a report was made. */
export function environmentCard(environment: Environment, startedAt: string): Markup {
  const { node, os, cpu, cores, memoryBytes } = environment;
  return html`<section class="card"><h3>On what</h3><dl class="facts">
<dt>Time</dt><dd><time datetime="${startedAt}">${startedAt.replace("T", " ").replace(/\.\d+Z$/, " UTC")}</time></dd>
<dt>Node.js</dt><dd>${node}</dd>
<dt>System</dt><dd>${os}</dd>
<dt>Processor</dt><dd>${cpu}, ${cores} ${cores === 1 ? "core" : "cores"}</dd>
<dt>Memory</dt><dd>${formatBytes(memoryBytes)}</dd>
</dl></section>`;
}
