import type { Command } from "../command.ts";
import { thisEnvironment } from "../environment.ts";
import { formatCount } from "../format.ts";
import { outputFolder } from "../output-folder.ts";
import { progressOn } from "../progress.ts";
import { writeReport } from "../write-report.ts";
import { measureEngines } from "./measure.ts";
import { engineHelp, parseEngineOptions } from "./options.ts";
import { enginePage } from "./page/page.ts";
import type { EngineReport } from "./report.ts";
import { engineTables } from "./table.ts";

/** Measures the lane engine against others. */
export const engineCommand: Command = {
  name: "engine",
  summary: "measures the lane engine against others, with a handler that does nothing",
  async run(argv, { out, signal }) {
    const { help, params, out: given } = parseEngineOptions(argv);
    if (help) {
      out.write(engineHelp);
      return 0;
    }
    const folder = await outputFolder(given, "engine");
    out.write(
      `${formatCount(params.messages)} messages in each measurement, median of ${params.rounds}.\n\n`,
    );
    const startedAt = new Date().toISOString();
    const measured = await measureEngines(params, signal, progressOn(out));
    const environment = thisEnvironment();
    const report: EngineReport = { kind: "engine", startedAt, environment, params, ...measured };
    const files = await writeReport(folder, enginePage(report), report);
    out.write(`${engineTables(report)}\n${files}`);
    return 0;
  },
};
