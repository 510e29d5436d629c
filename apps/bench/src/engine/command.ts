import { writeFile } from "node:fs/promises";
import path from "node:path";
import { LabError } from "@lab/core";
import { type RunningBroker, startBroker } from "@lab/testbed";
import type { Command, Context } from "../command.ts";
import { thisEnvironment } from "../environment.ts";
import { formatCount } from "../format.ts";
import { outputFolder } from "../output-folder.ts";
import { progressOn } from "../progress.ts";
import { measureEngines } from "./measure.ts";
import { engineHelp, parseEngineOptions } from "./options.ts";
import { enginePage } from "./page/page.ts";
import type { EngineParams, EngineReport } from "./report.ts";
import { engineTables } from "./table.ts";

/** Measures the lane engine against others. */
export const engineCommand: Command = {
  name: "engine",
  summary: "measures the lane engine against others, with a handler that does nothing",
  async run(argv, context) {
    const { help, params: told, out: given } = parseEngineOptions(argv);
    const { out, signal } = context;
    if (help) {
      out.write(engineHelp);
      return 0;
    }
    const folder = await outputFolder(given, "engine");
    await using broker = await realMqttBroker(context);
    const mqttBroker = broker === undefined ? null : `${broker.product} ${broker.version}`;
    const params: EngineParams = { ...told, mqttBroker };
    out.write(
      `${formatCount(params.messages)} messages in each measurement, median of ${params.rounds}.\n\n`,
    );
    const startedAt = new Date().toISOString();
    const options = { brokerUrl: broker?.directUrl, signal };
    const measured = await measureEngines(params, options, progressOn(out));
    const environment = thisEnvironment();
    const report: EngineReport = { kind: "engine", startedAt, environment, params, ...measured };
    const page = path.join(folder, "report.html");
    const json = path.join(folder, "report.json");
    await writeFile(page, enginePage(report));
    await writeFile(json, `${JSON.stringify(report, null, 2)}\n`);
    out.write(`${engineTables(report)}\n${page}\n${json}\n`);
    return 0;
  },
};

/** An embedded one would be measured along with the client: it runs in the same machine's JavaScript. */
async function realMqttBroker({
  out,
  signal,
  brokersRequired,
}: Context): Promise<RunningBroker | undefined> {
  try {
    return await startBroker("mqtt", { real: true, signal });
  } catch (error) {
    if (!(error instanceof LabError) || brokersRequired) throw error;
    out.write(`Without the rows on MQTT: ${error.message}\n`);
    return undefined;
  }
}
