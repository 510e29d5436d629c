import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { publishBrokers } from "../../src/brokers.ts";
import { plainClients } from "../../src/publish/clients/index.ts";
import { parsePublishOptions } from "../../src/publish/options.ts";
import { byBroker, type PublishReport } from "../../src/publish/report.ts";
import { variantsBeside } from "../../src/publish/variants.ts";
import { noBrowser, openBrowser, openPage } from "../browser.ts";
import { bench, brokersHere } from "../harness.ts";

const run = promisify(execFile);
const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
/** Kept after the test, with the screenshots: for people to look at. */
const folder = fileURLToPath(new URL("../../reports/publish-test/", import.meta.url));

const brokers = await brokersHere(publishBrokers);

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
  const expected = brokers.flatMap((name) =>
    variantsBeside(plainClients[name]?.client).map(({ variant, batch, client }) => ({
      variant,
      batch,
      client,
    })),
  );
  expect(report.rows.map(({ variant, batch, client }) => ({ variant, batch, client }))).toEqual(
    expected,
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
      client: row.client,
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
  expect(printed).toMatch(/^mqtt [\d.]+, batches of 100 +[\d,.]+\/s +[\d.]+×/m);
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
    const shown = await page.locator("tr[data-broker]").evaluateAll((all) =>
      all.map((row) => ({
        broker: row.dataset.broker,
        client: row.dataset.client,
        figures: [...row.querySelectorAll("data")].map(({ value }) => Number(value)),
      })),
    );
    expect(shown).toEqual(
      report.rows.map(({ broker, client, perSecond, overAwaited }) => ({
        broker,
        client: client ?? "",
        figures: [perSecond, overAwaited],
      })),
    );
    await page.setViewportSize({ width: 1200, height: 900 });
    await page.screenshot({ path: `${folder}wide.png`, fullPage: true });
    expect(opened.complaints).toEqual([]);
    expect(opened.requests).toEqual([]);
  } finally {
    await browser.close();
  }
});

test("lab is our own broker, whatever others there are, and never a real one", () => {
  const [first] = byBroker(report.rows)[brokers.indexOf("lab")] ?? [];
  expect(first).toMatchObject({ broker: "lab-mqtt-broker", real: false });
});

test("every option is read", () => {
  expect(parsePublishOptions([])).toEqual({
    help: false,
    brokers: undefined,
    seconds: 0.5,
    rounds: 5,
    out: undefined,
  });
  const line = "--brokers memory,lab --seconds 2 --rounds 3 --out here";
  expect(parsePublishOptions(line.split(" "))).toEqual({
    help: false,
    brokers: ["memory", "lab"],
    seconds: 2,
    rounds: 3,
    out: "here",
  });
});

test.each([
  [
    "--brokers rabbit",
    /`--brokers` to be "all" or names of memory, mqtt, amqp, kafka, solace, lab/,
  ],
  ["--seconds 0", /`--seconds` to be a number above 0/],
  ["--rounds 0", /`--rounds` to be a whole number from 1/],
  ["--messages 4", /an option of `publish`.*got "--messages"/],
])("%s is refused with exit code 2", async (line, message) => {
  const outcome = await bench(["publish", ...line.split(" ")]);
  expect(outcome.code).toBe(2);
  expect(outcome.err).toMatch(message);
});
