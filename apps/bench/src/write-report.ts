import { writeFile } from "node:fs/promises";
import path from "node:path";

/** Writes both files of a report; resolves to where they are, a line each. */
export async function writeReport(folder: string, page: string, report: object): Promise<string> {
  const html = path.join(folder, "report.html");
  const json = path.join(folder, "report.json");
  await writeFile(html, page);
  await writeFile(json, `${JSON.stringify(report, null, 2)}\n`);
  return `${html}\n${json}\n`;
}
