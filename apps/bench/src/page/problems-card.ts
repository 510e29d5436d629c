import type { SkippedBroker } from "../brokers.ts";
import { html, type Markup } from "./html.ts";

export interface Problems {
  /** What did not hold, one sentence each. */
  readonly failures: readonly string[];
  readonly skipped: readonly SkippedBroker[];
}

/** What did not hold, and what was not run. Nothing, where there is neither. */
export function problemsCard({ failures, skipped }: Problems): Markup {
  const failed =
    failures.length === 0
      ? ""
      : html`<section class="card verdict failed"><b>✗ These checks did not hold.</b><ul>${failures.map((failure) => html`<li>${failure}</li>`)}</ul></section>`;
  return html`${failed}${skipped.map(({ broker, why }) => html`<p class="note">Not run: ${broker}. ${why}</p>`)}`;
}
