import { formatCount } from "../format.ts";
import { configurationName } from "./configuration.ts";
import type { DrainRun } from "./report.ts";
import type { Measurement } from "./run.ts";

/** What did not hold in a run, one sentence each. Repeats after a lost connection are what at-least-once permits. */
export function failuresOf(run: DrainRun, measured: Measurement): string[] {
  const { ledger, findings, problem } = measured;
  const counts: [number, string][] = [
    [run.violations, "out of order"],
    [run.overlaps, "handled while one of the same key was"],
    [ledger.duplicates, "handled again without a lost connection"],
    [run.lost, "never handled"],
    [run.leftOnBroker, "left on the broker"],
  ];
  const where = `${run.broker}, ${configurationName(run)}`;
  const failures = counts
    .filter(([count]) => count > 0)
    .map(
      ([count, what]) =>
        `${where}: ${formatCount(count)} ${count === 1 ? "message" : "messages"} ${what}.`,
    );
  if (run.maxUnsettled > run.window) {
    failures.push(
      `${where}: ${run.maxUnsettled} deliveries unsettled at once, above the window of ${run.window}.`,
    );
  }
  if (findings.length > 0) failures.push(`${where}: the first: ${findings[0]}.`);
  if (problem !== undefined) failures.push(`${where}: ${problem}`);
  return failures;
}
