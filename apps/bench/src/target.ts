/** A figure to reach, and whether a report does. */
export interface Target {
  readonly text: string;
  readonly reached: boolean;
}

/** For the terminal. */
export function targetLines(targets: readonly Target[]): string {
  return targets.map(({ text, reached }) => `${reached ? "✓" : "✗"} ${text}\n`).join("");
}
