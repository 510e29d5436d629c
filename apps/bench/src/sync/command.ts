import type { Command } from "../command.ts";
import { thisEnvironment } from "../environment.ts";
import { outputFolder } from "../output-folder.ts";
import { progressOn } from "../progress.ts";
import { targetLines } from "../target.ts";
import { writeReport } from "../write-report.ts";
import { syncTarget } from "./broker.ts";
import { measureSync } from "./measure.ts";
import { modesOf, parseSyncOptions, syncHelp } from "./options.ts";
import { syncPage } from "./page.ts";
import type { SyncReport, SyncRun } from "./report.ts";
import { syncTable } from "./table.ts";
import { targetsOf } from "./targets.ts";

/** Measures what batches save a server that mirrors values to its clients. */
export const syncCommand: Command = {
  name: "sync",
  summary: "mirrors values between a server and its client over MQTT, in batches and singly",
  async run(argv, { out, signal }) {
    const { help, params, out: given } = parseSyncOptions(argv);
    if (help) {
      out.write(syncHelp);
      return 0;
    }
    const folder = await outputFolder(given, "sync");
    const startedAt = new Date().toISOString();
    const runs: SyncRun[] = [];
    for (const broker of params.brokers) {
      for (const mode of modesOf(params)) {
        await using target = await syncTarget(broker, signal);
        const options = { ...params, broker, mode, url: target.url, signal };
        const measured = await measureSync({ ...options, progress: progressOn(out) });
        const ofMode = (["server", "client"] as const).map(
          (side): SyncRun => ({ ...target.about, mode, side, ...measured[side] }),
        );
        runs.push(...ofMode);
        out.write(`\n${syncTable(ofMode)}`);
      }
    }
    const report: SyncReport = {
      kind: "sync",
      startedAt,
      environment: thisEnvironment(),
      params,
      runs,
    };
    const files = await writeReport(folder, syncPage(report), report);
    out.write(`\n${targetLines(targetsOf(report))}\n${files}`);
    return runs.every(({ received }) => received > 0) ? 0 : 1;
  },
};
