import { html, type Markup } from "./html.ts";

/** What the figures of a page mean. */
export function glossary(definitions: Readonly<Record<string, string>>): Markup {
  const entries = Object.entries(definitions);
  return html`<section><h2>What the figures mean</h2><dl class="words">${entries.map(([word, meaning]) => html`<dt>${word}</dt><dd>${meaning}</dd>`)}</dl></section>`;
}
