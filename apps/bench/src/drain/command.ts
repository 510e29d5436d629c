import { brokerNames, startRigs } from "../brokers.ts";
import type { Command, Context } from "../command.ts";
import { formatCount, formatMs } from "../format.ts";
import { outputFolder } from "../output-folder.ts";
import { progressOn } from "../progress.ts";
import { writeReport } from "../write-report.ts";
import { configurations } from "./configuration.ts";
import { drain } from "./drain.ts";
import { type DrainOptions, drainHelp, parseDrainOptions } from "./options.ts";
import { drainPage } from "./page/page.ts";
import type { DrainResult } from "./result.ts";
import { drainTable } from "./table.ts";
import { createWorkload, fastestMs } from "./workload.ts";

/** Drains a queued backlog through every subscriber design, on each broker. */
export const drainCommand: Command = {
  name: "drain",
  summary: "drains a queued backlog through every subscriber design",
  async run(argv, context) {
    const options = parseDrainOptions(argv);
    if (options.help) {
      context.out.write(drainHelp);
      return 0;
    }
    const folder = await outputFolder(options.out, "drain");
    await using started = await startRigs(brokerNames, options.brokers, context);
    const { rigs, skipped } = started;
    context.out.write(announcement(options, rigs.length));

    const measured = await drain(options, rigs, {
      signal: context.signal,
      progress: progressOn(context.out),
      onBroker: (runs) => context.out.write(`\n${drainTable(runs)}`),
    });
    return conclude({ ...measured, skipped }, folder, context);
  },
};

function announcement(
  { configs, dispatch, workload: options }: DrainOptions,
  rigs: number,
): string {
  const workload = createWorkload(options);
  const runs = configurations(configs, dispatch);
  const expectedMs = rigs * runs.reduce((sum, { lanes }) => sum + fastestMs(workload, lanes), 0);
  const duration =
    expectedMs < 120_000 ? formatMs(expectedMs) : `${(expectedMs / 60_000).toFixed(0)} minutes`;
  return (
    `${formatCount(workload.messages)} messages of ${formatCount(workload.keys)} keys, ` +
    `${rigs * runs.length} runs, ${duration} or more.\n`
  );
}

async function conclude(result: DrainResult, folder: string, { out }: Context): Promise<number> {
  const files = await writeReport(folder, drainPage(result), result.report);
  const { failures } = result;
  const verdict =
    failures.length === 0
      ? "Every run kept the order of each key, handled each message, and left nothing on the broker.\n"
      : `These checks did not hold:\n${failures.map((failure) => `  ✗ ${failure}\n`).join("")}`;
  out.write(`\n${verdict}\n${files}`);
  return failures.length === 0 ? 0 : 1;
}
