import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { availability } from "@lab/testbed";
import { expect, test } from "vitest";
import { parseSyncOptions } from "../../src/sync/options.ts";
import { syncBrokers } from "../../src/sync/protocol.ts";
import type { SyncReport } from "../../src/sync/report.ts";
import { noBrowser, openBrowser, openPage } from "../browser.ts";
import { bench } from "../harness.ts";

const run = promisify(execFile);
const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
/** Kept after the test, with the screenshots: for people to look at. */
const folder = fileURLToPath(new URL("../../reports/sync-test/", import.meta.url));

const { use } = await availability("mqtt", { real: true });
const withMosquitto = use !== undefined || process.env.LAB_REQUIRE_BROKERS === "1";
if (!withMosquitto) console.warn("Skipped: sync on mosquitto, of which there is none here.");

const figures = {
  avg: expect.any(Number),
  p50: expect.any(Number),
  p90: expect.any(Number),
  p95: expect.any(Number),
  p99: expect.any(Number),
  p999: expect.any(Number),
  max: expect.any(Number),
  min: expect.any(Number),
  stddev: expect.any(Number),
};

for (const broker of syncBrokers) {
  test.skipIf(broker === "mosquitto" && !withMosquitto)(
    `mirrors values both ways on ${broker}, and reports it in the agreed shape`,
    async () => {
      const out = `${folder}${broker}`;
      const line = `--broker ${broker} --subscriptions 20 --rate 200 --seconds 1 --out`;
      const argv = [cli, "sync", ...line.split(" "), out];
      const { stdout } = await run(process.execPath, argv); // Rejects unless the exit code is 0.
      const report: SyncReport = JSON.parse(await readFile(`${out}/report.json`, "utf8"));
      expect(report).toEqual({
        kind: "sync",
        startedAt: expect.stringMatching(/Z$/),
        environment: expect.objectContaining({ node: process.version }),
        params: { brokers: [broker], subscriptions: 20, rate: 200, seconds: 1, mode: "both" },
        runs: expect.any(Array),
      });
      expect(report.runs.map(({ mode, side }) => `${mode} ${side}`)).toEqual([
        "batched server",
        "batched client",
        "single server",
        "single client",
      ]);
      for (const one of report.runs) {
        expect(one).toEqual({
          broker: expect.any(String),
          brokerVersion: expect.any(String),
          real: broker === "mosquitto",
          mode: one.mode,
          side: one.side,
          sent: expect.any(Number),
          received: expect.any(Number),
          perSecond: one.received,
          modifications: { ...figures, count: 1 },
          latencyMs: figures,
          processingMs: figures,
          rssMB: expect.any(Number),
          heapMB: expect.any(Number),
          allocMBps: expect.any(Number),
          timeline: [
            { p50: expect.any(Number), p99: expect.any(Number), count: expect.any(Number) },
          ],
        });
        expect(one.received).toBeGreaterThan(0);
        expect(one.received).toBeLessThanOrEqual(240); // A late batch has what was due before, too.
        expect(one.sent).toBeLessThanOrEqual(240); // A fifth of a second for warming up.
        const { min, p50, p99, max } = one.latencyMs;
        expect([min, p50, p99, max]).toEqual([min, p50, p99, max].toSorted((a, b) => a - b));
      }
      expect(stdout).toMatch(
        /Modifications a second .*\nProcessing latency .*\nEnd-to-end latency/,
      );
      expect(stdout.includes("(not a real broker)")).toBe(broker !== "mosquitto");
    },
    60_000,
  );
}

test("as many as can be sent: each direction for itself, on several brokers in one run", async () => {
  const out = `${folder}max`;
  const line = "--broker lab,aedes --subscriptions 20 --rate max --seconds 0.5 --out";
  const { stdout } = await run(process.execPath, [cli, "sync", ...line.split(" "), out]);
  const { runs }: SyncReport = JSON.parse(await readFile(`${out}/report.json`, "utf8"));
  expect(runs.map(({ broker, mode, side }) => `${broker} ${mode} ${side}`)).toEqual([
    "lab-mqtt-broker batched server",
    "lab-mqtt-broker batched client",
    "lab-mqtt-broker single server",
    "lab-mqtt-broker single client",
    "aedes batched server",
    "aedes batched client",
    "aedes single server",
    "aedes single client",
  ]);
  for (const { sent, received } of runs) {
    expect(sent).toBeGreaterThan(0);
    expect(received).toBeGreaterThan(0);
  }
  expect(stdout).toContain("aedes");
}, 60_000);

const missing = noBrowser();
test.skipIf(missing !== undefined)("the page has a table and a picture of each run", async () => {
  const url = pathToFileURL(`${folder}lab/report.html`).href;
  const report: SyncReport = JSON.parse(await readFile(`${folder}lab/report.json`, "utf8"));
  const browser = await openBrowser();
  try {
    await using opened = await openPage(browser, url, { viewport: { width: 375, height: 812 } });
    const { page } = opened;
    await page.screenshot({ path: `${folder}phone.png`, fullPage: true });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
    for (const { mode, side, latencyMs } of report.runs) {
      const table = page.locator(`table[data-mode="${mode}"][data-side="${side}"]`);
      const cells = await table.locator("tbody tr").nth(2).locator("td").allTextContents();
      expect(cells.slice(0, 2)).toEqual([latencyMs.avg.toFixed(2), latencyMs.p50.toFixed(2)]);
    }
    expect(await page.locator("svg.chart").count()).toBe(report.runs.length);
    await page.setViewportSize({ width: 1200, height: 900 });
    await page.screenshot({ path: `${folder}wide.png`, fullPage: true });
    expect(opened.complaints).toEqual([]);
    expect(opened.requests).toEqual([]);
  } finally {
    await browser.close();
  }
});

test("the defaults are the published scenario", () => {
  expect(parseSyncOptions([])).toEqual({
    help: false,
    params: { brokers: ["lab"], subscriptions: 40_000, rate: 20_000, seconds: 60, mode: "both" },
    out: undefined,
  });
  expect(parseSyncOptions(["--rate", "max"]).params.rate).toBe(0);
  const several = parseSyncOptions(["--broker", "lab,mosquitto,lab"]).params.brokers;
  expect(several).toEqual(["lab", "mosquitto"]);
});

test.each([
  ["--broker hivemq", /`--broker` to be lab, aedes, mosquitto, got "hivemq"/],
  ["--mode fast", /`--mode` to be batched, single, both/],
  ["--rate 0", /`--rate` to be a whole number from 1/],
  ["--subscriptions 1", /`--subscriptions` to be a whole number from 2/],
  ["--seconds 0", /`--seconds` to be a number above 0/],
  ["--brokers lab", /an option of `sync`.*got "--brokers"/],
])("%s is refused with exit code 2", async (line, message) => {
  const outcome = await bench(["sync", ...line.split(" ")]);
  expect(outcome.code).toBe(2);
  expect(outcome.err).toMatch(message);
});
