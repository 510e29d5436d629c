import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { contenders, measuredBrokers } from "../../src/throughput/contenders/index.ts";
import type { ThroughputReport } from "../../src/throughput/report.ts";
import { noBrowser, openBrowser, openPage } from "../browser.ts";
import { brokersHere } from "../harness.ts";

const run = promisify(execFile);
const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
/** Kept after the test, with the screenshots: for people to look at. */
const folder = fileURLToPath(new URL("../../reports/throughput-test/", import.meta.url));

const brokers = await brokersHere(measuredBrokers);

let report: ThroughputReport;
let printed = "";
beforeAll(async () => {
  const line = "--messages 400 --window 32 --rounds 2 --brokers";
  const argv = [cli, "throughput", ...line.split(" "), brokers.join(","), "--out", folder];
  printed = (await run(process.execPath, argv)).stdout; // Rejects unless the exit code is 0.
  report = JSON.parse(await readFile(`${folder}report.json`, "utf8"));
}, 300_000); // A process for each measurement, and Kafka's group is slow to join.

test("reports a row for every way to consume on every broker, in the agreed shape", () => {
  expect(report).toEqual({
    kind: "throughput",
    startedAt: expect.stringMatching(/Z$/),
    environment: expect.objectContaining({ node: process.version }),
    params: { brokers, rounds: 2, lanes: 32, window: 32, bodyBytes: 100, keys: 1000 },
    rows: expect.any(Array),
  });
  const ways = brokers.flatMap((name) =>
    contenders[name].map(({ variant, client }) => ({ variant, client })),
  );
  expect(report.rows.map(({ variant, client }) => ({ variant, client }))).toEqual(ways);
  for (const row of report.rows) {
    expect(row).toEqual({
      broker: expect.any(String),
      brokerVersion: expect.any(String),
      real: expect.any(Boolean),
      variant: row.variant,
      client: row.client,
      messages: 400,
      perSecond: expect.any(Number),
      cpuUsPerMessage: expect.any(Number),
      overRaw: expect.any(Number),
      cpuOverRaw: expect.any(Number),
      residentBytes: { before: expect.any(Number), peak: expect.any(Number) },
    });
    expect(row.perSecond).toBeGreaterThan(0);
    expect(row.cpuUsPerMessage).toBeGreaterThan(0);
    expect(row.residentBytes.peak).toBeGreaterThanOrEqual(row.residentBytes.before);
  }
});

test("the first way on each broker is the raw loop", () => {
  for (const name of brokers) {
    const raw = report.rows.find(({ variant }) => variant === contenders[name][0]?.variant);
    expect(raw).toMatchObject({ overRaw: 1, cpuOverRaw: 1 });
    expect(raw?.client).not.toBeNull();
  }
});

test("prints a table for each broker, and whether it is a real one", () => {
  for (const row of report.rows) {
    const title = `${row.broker} ${row.brokerVersion}${row.real ? "" : " (not a real broker)"}, 400 messages`;
    expect(printed).toContain(title);
  }
  expect(printed).toMatch(/^consume +[\d,.]+\/s +[\d.]+× +[\d.]+ µs/m);
});

test("the versions of the clients are those that are installed", async () => {
  const manifest = JSON.parse(
    await readFile(new URL("../../package.json", import.meta.url), "utf8"),
  ) as { dependencies: Record<string, string> };
  for (const { client } of measuredBrokers.flatMap((name) => contenders[name])) {
    const [name = "", version] = client?.split("@") ?? [];
    if (client !== null) expect(manifest.dependencies[name]).toBe(version);
  }
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
      const cells = page.locator(
        `tr[data-broker="${row.broker}"][data-variant="${row.variant}"] data`,
      );
      const values = await cells.evaluateAll((all) =>
        all.map((one) => Number((one as HTMLDataElement).value)),
      );
      const { before, peak } = row.residentBytes;
      const { perSecond, overRaw, cpuUsPerMessage, cpuOverRaw } = row;
      expect(values).toEqual([perSecond, overRaw, cpuUsPerMessage, cpuOverRaw, before, peak]);
    }
    await page.setViewportSize({ width: 1200, height: 900 });
    await page.screenshot({ path: `${folder}wide.png`, fullPage: true });
    expect(opened.complaints).toEqual([]);
    expect(opened.requests).toEqual([]);
  } finally {
    await browser.close();
  }
});
