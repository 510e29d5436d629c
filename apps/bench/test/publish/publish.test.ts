import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { availability } from "@lab/testbed";
import { beforeAll, expect, test } from "vitest";
import { brokerNames } from "../../src/brokers.ts";
import { parsePublishOptions } from "../../src/publish/options.ts";
import type { PublishReport } from "../../src/publish/report.ts";
import { noBrowser, openBrowser, openPage } from "../browser.ts";
import { bench } from "../harness.ts";

const run = promisify(execFile);
const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
/** Kept after the test, with the screenshots: for people to look at. */
const folder = fileURLToPath(new URL("../../reports/publish-test/", import.meta.url));

const required = process.env.LAB_REQUIRE_BROKERS === "1";
const found = await Promise.all(
  brokerNames.map(
    async (name) => name === "memory" || (await availability(name)).use !== undefined,
  ),
);
const brokers = brokerNames.filter((_, i) => required || found[i]);
for (const name of brokerNames) {
  if (!brokers.includes(name)) console.warn(`Skipped: ${name}, of which there is no broker here.`);
}

let report: PublishReport;
let printed = "";
beforeAll(async () => {
  const line = "--seconds 0.05 --rounds 1 --brokers";
  const argv = [cli, "publish", ...line.split(" "), brokers.join(","), "--out", folder];
  printed = (await run(process.execPath, argv)).stdout; // Rejects unless the exit code is 0.
  report = JSON.parse(await readFile(`${folder}report.json`, "utf8"));
}, 180_000);

test("reports a row for every variant on every broker, in the agreed shape", () => {
  expect(report).toEqual({
    kind: "publish",
    startedAt: expect.stringMatching(/Z$/),
    environment: expect.objectContaining({ node: process.version }),
    params: { brokers, rounds: 1, seconds: 0.05, bodyBytes: 100, inFlight: 100 },
    rows: expect.any(Array),
  });
  expect(report.rows.map(({ variant, batch }) => `${variant} ${batch}`)).toEqual(
    brokers.flatMap(() => ["awaited 1", "window 1", "batch 10", "batch 100", "batch 1000"]),
  );
  let awaited = 0;
  for (const row of report.rows) {
    if (row.variant === "awaited") awaited = row.perSecond;
    expect(row).toEqual({
      broker: expect.any(String),
      brokerVersion: expect.any(String),
      real: expect.any(Boolean),
      variant: row.variant,
      batch: row.batch,
      perSecond: expect.any(Number),
      overAwaited: row.perSecond / awaited,
    });
    expect(row.perSecond).toBeGreaterThan(0);
  }
});

test("prints a table for each broker, and whether it is a real one", () => {
  for (const row of report.rows) {
    const title = `${row.broker} ${row.brokerVersion}${row.real ? "" : " (not a real broker)"}\n`;
    expect(printed).toContain(title);
  }
  expect(printed).toMatch(/^batches of 1,000 +[\d,.]+\/s +[\d.]+×/m);
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
    for (const { broker, variant, batch, perSecond, overAwaited } of report.rows) {
      const cells = page.locator(
        `tr[data-broker="${broker}"][data-variant="${variant}"][data-batch="${batch}"] data`,
      );
      const values = await cells.evaluateAll((all) =>
        all.map((one) => Number((one as HTMLDataElement).value)),
      );
      expect(values).toEqual([perSecond, overAwaited]);
    }
    await page.setViewportSize({ width: 1200, height: 900 });
    await page.screenshot({ path: `${folder}wide.png`, fullPage: true });
    expect(opened.complaints).toEqual([]);
    expect(opened.requests).toEqual([]);
  } finally {
    await browser.close();
  }
});

test("every option is read", () => {
  expect(parsePublishOptions([])).toEqual({
    help: false,
    brokers: undefined,
    seconds: 0.5,
    rounds: 5,
    out: undefined,
  });
  const line = "--brokers memory,amqp --seconds 2 --rounds 3 --out here";
  expect(parsePublishOptions(line.split(" "))).toEqual({
    help: false,
    brokers: ["memory", "amqp"],
    seconds: 2,
    rounds: 3,
    out: "here",
  });
});

test.each([
  ["--brokers rabbit", /`--brokers` to be "all" or names of memory, mqtt/],
  ["--seconds 0", /`--seconds` to be a number above 0/],
  ["--rounds 0", /`--rounds` to be a whole number from 1/],
  ["--messages 4", /an option of `publish`.*got "--messages"/],
])("%s is refused with exit code 2", async (line, message) => {
  const outcome = await bench(["publish", ...line.split(" ")]);
  expect(outcome.code).toBe(2);
  expect(outcome.err).toMatch(message);
});
