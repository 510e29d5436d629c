import type { Target } from "../target.ts";
import { html, type Markup } from "./html.ts";

/** The figures to reach; `none` is what the card says where there are none to judge. */
export function targetsCard(targets: readonly Target[], none: string): Markup {
  if (targets.length === 0) {
    return html`<section class="card verdict"><p class="note">${none}</p></section>`;
  }
  const kind = targets.every(({ reached }) => reached) ? "" : "failed";
  return html`<section class="card verdict ${kind}"><b>Figures to reach</b><ul class="plain">${targets.map(
    ({ text, reached }) => html`<li>${reached ? "✓" : "✗ not reached:"} ${text}</li>`,
  )}</ul></section>`;
}
