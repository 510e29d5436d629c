import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { contenders } from "../../src/engine/contenders.ts";
import { parseEngineOptions } from "../../src/engine/options.ts";
import type { EngineReport, EngineRow } from "../../src/engine/report.ts";
import { targetsOf } from "../../src/engine/targets.ts";
import { noBrowser, openBrowser, openPage } from "../browser.ts";

const run = promisify(execFile);
const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
/** Kept after the test, with the screenshots: for people to look at. */
const folder = fileURLToPath(new URL("../../reports/engine-test/", import.meta.url));

let report: EngineReport;
let printed = "";
beforeAll(async () => {
  const argv = [cli, "engine", "--messages", "1000", "--rounds", "1", "--out", folder];
  printed = (await run(process.execPath, argv)).stdout;
  report = JSON.parse(await readFile(`${folder}report.json`, "utf8"));
}, 180_000); // It starts three dozen processes, one after the other.

test("reports a row for every contender and number of keys, in the agreed shape", () => {
  expect(report.kind).toBe("engine");
  expect(report.params).toEqual({
    messages: 1000,
    keys: [100, 1000],
    rounds: 1,
    lanes: 32,
    window: 256,
  });
  expect(report.rows.map(({ name, peer, keys }) => ({ name, peer, keys }))).toEqual(
    [100, 1000].flatMap((keys) => contenders.map(({ name, peer }) => ({ name, peer, keys }))),
  );
  for (const row of report.rows) {
    expect(Object.keys(row)).toEqual([
      "name",
      "peer",
      "keys",
      "messages",
      "nsPerMessage",
      "overBareAwait",
      "bytesPerMessage",
    ]);
    expect(row.messages).toBe(1000);
    expect(row.nsPerMessage).toBeGreaterThan(0);
    expect(row.bytesPerMessage).toBeGreaterThan(0);
    if (row.name === "bare await") expect(row.overBareAwait).toBe(1);
  }
});

test("prints a table for each number of keys", () => {
  expect(printed).toMatch(/^100 keys$/m);
  expect(printed).toMatch(/^1,000 keys$/m);
  expect(printed).toMatch(/p-queue [\d.]+ +\d+ +[\d.]+× +[\d,]+/);
});

test("the defaults are a million messages and the four numbers of keys", () => {
  const { params } = parseEngineOptions([]);
  expect(params).toMatchObject({ messages: 1e6, keys: [100, 1e3, 1e5, 1e6], rounds: 5 });
});

describe("the figures to reach", () => {
  const row = (name: string, keys: number, ns: number, bytes = 150, peer?: string): EngineRow => ({
    name,
    peer: peer ?? null,
    keys,
    messages: 1e6,
    nsPerMessage: ns,
    overBareAwait: ns / 50,
    bytesPerMessage: bytes,
  });
  const withRows = (rows: EngineRow[], peak = 300): EngineReport => ({
    ...report,
    params: { ...report.params, messages: 1e6 },
    rows,
    residentBytes: { before: 300 * 2 ** 20, peak: peak * 2 ** 20 },
  });
  const good = [
    row("keyed lanes", 1000, 120),
    row("fastq", 1000, 190, 240, "fastq@1"),
    row("consume on memory", 1000, 900),
    row("keyed lanes", 1e6, 150),
  ];
  const reached = (rows: EngineRow[], peak?: number): boolean[] =>
    targetsOf(withRows(rows, peak)).map((target) => target.reached);

  test("are reached where every row is good enough", () => {
    expect(reached(good)).toEqual(new Array(6).fill(true));
  });

  test("are not judged by measurements that are too short", () => {
    expect(targetsOf({ ...withRows(good), params: report.params })).toEqual([]);
  });

  test("are each missed by the row that is not", () => {
    const slow = [
      row("keyed lanes", 1000, 126, 201),
      row("fastq", 1000, 125, 240, "fastq@1"),
      row("consume on memory", 1000, 1001),
      row("keyed lanes", 1e6, 164),
    ];
    expect(reached(slow, 400)).toEqual(new Array(6).fill(false));
  });
});

const missing = noBrowser();
test.skipIf(missing !== undefined)("the page has the figures of the JSON", async () => {
  const url = pathToFileURL(`${folder}report.html`).href;
  const browser = await openBrowser();
  try {
    await using opened = await openPage(browser, url, { viewport: { width: 375, height: 812 } });
    const { page } = opened;
    await page.screenshot({ path: `${folder}phone.png`, fullPage: true });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
    for (const row of report.rows) {
      const cells = page.locator(`tr[data-name="${row.name}"][data-keys="${row.keys}"] data`);
      const values = await cells.evaluateAll((all) =>
        all.map((one) => Number((one as HTMLDataElement).value)),
      );
      expect(values).toEqual([row.nsPerMessage, row.overBareAwait, row.bytesPerMessage]);
    }
    await page.setViewportSize({ width: 1200, height: 900 });
    await page.screenshot({ path: `${folder}wide.png`, fullPage: true });
    expect(opened.complaints).toEqual([]);
    expect(opened.requests).toEqual([]);
  } finally {
    await browser.close();
  }
});
