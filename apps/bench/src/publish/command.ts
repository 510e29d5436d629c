import { publishBrokers, startRigs } from "../brokers.ts";
import type { Command } from "../command.ts";
import { thisEnvironment } from "../environment.ts";
import { outputFolder } from "../output-folder.ts";
import { progressOn } from "../progress.ts";
import { targetLines } from "../target.ts";
import { writeReport } from "../write-report.ts";
import { measureBroker } from "./measure.ts";
import { parsePublishOptions, publishHelp } from "./options.ts";
import { publishPage } from "./page.ts";
import type { PublishReport, PublishRow } from "./report.ts";
import { publishTable } from "./table.ts";
import { targetsOf } from "./targets.ts";
import { bodyBytes, inFlight } from "./variants.ts";

/** Measures what batches save on each broker. */
export const publishCommand: Command = {
  name: "publish",
  summary: "measures publishing: one at a time, many in flight, in batches, beside plain clients",
  async run(argv, context) {
    const { out, signal } = context;
    const options = parsePublishOptions(argv);
    if (options.help) {
      out.write(publishHelp);
      return 0;
    }
    const { seconds, rounds } = options;
    const folder = await outputFolder(options.out, "publish");
    await using started = await startRigs(publishBrokers, options.brokers, context);
    const { rigs, skipped } = started;
    const startedAt = new Date().toISOString();
    const rows: PublishRow[] = [];
    const failures: string[] = [];
    for (const named of rigs) {
      const progress = progressOn(out);
      const measured = await measureBroker(named, { seconds, rounds, signal, progress });
      rows.push(...measured.rows);
      failures.push(...measured.failures);
      out.write(`\n${publishTable(measured.rows)}`);
    }
    const report: PublishReport = {
      kind: "publish",
      startedAt,
      environment: thisEnvironment(),
      params: { brokers: rigs.map(({ name }) => name), rounds, seconds, bodyBytes, inFlight },
      rows,
    };
    const files = await writeReport(folder, publishPage(report, { failures, skipped }), report);
    const problems = failures.map((failure) => `✗ ${failure}\n`).join("");
    out.write(`\n${targetLines(targetsOf(report))}${problems}\n${files}`);
    return failures.length === 0 ? 0 : 1;
  },
};
