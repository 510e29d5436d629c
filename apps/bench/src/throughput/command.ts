import { startRigs } from "../brokers.ts";
import type { Command } from "../command.ts";
import { thisEnvironment } from "../environment.ts";
import { outputFolder } from "../output-folder.ts";
import { progressOn } from "../progress.ts";
import { targetLines } from "../target.ts";
import { writeReport } from "../write-report.ts";
import { bodyBytes, keys } from "./backlog.ts";
import { lanes } from "./contender.ts";
import { measuredBrokers } from "./contenders/index.ts";
import { measureBroker } from "./measure.ts";
import { parseThroughputOptions, throughputHelp } from "./options.ts";
import { throughputPage } from "./page/page.ts";
import type { ThroughputReport, ThroughputRow } from "./report.ts";
import { throughputTable } from "./table.ts";
import { targetsOf } from "./targets.ts";

/** Measures what consuming costs on each broker, beside its plain client. */
export const throughputCommand: Command = {
  name: "throughput",
  summary: "measures rate and CPU time on each broker, beside loops on its plain client",
  async run(argv, context) {
    const { out, signal } = context;
    const options = parseThroughputOptions(argv);
    if (options.help) {
      out.write(throughputHelp);
      return 0;
    }
    const { messages, window, rounds } = options;
    const folder = await outputFolder(options.out, "throughput");
    await using started = await startRigs(measuredBrokers, options.brokers, context);
    const { rigs, skipped } = started;
    const startedAt = new Date().toISOString();
    const rows: ThroughputRow[] = [];
    const failures: string[] = [];
    for (const named of rigs) {
      const measured = await measureBroker(named, {
        messages: messages[named.name],
        window,
        rounds,
        signal,
        progress: progressOn(out),
      });
      rows.push(...measured.rows);
      failures.push(...measured.failures);
      out.write(`\n${throughputTable(measured.rows)}`);
    }
    const report: ThroughputReport = {
      kind: "throughput",
      startedAt,
      environment: thisEnvironment(),
      params: {
        brokers: rigs.map(({ name }) => name),
        rounds,
        lanes,
        window,
        bodyBytes,
        keys,
      },
      rows,
    };
    const files = await writeReport(folder, throughputPage(report, { failures, skipped }), report);
    const problems = failures.map((failure) => `✗ ${failure}\n`).join("");
    out.write(`\n${targetLines(targetsOf(report))}${problems}\n${files}`);
    return failures.length === 0 ? 0 : 1;
  },
};
