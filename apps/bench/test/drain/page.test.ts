import { mkdir, readFile, stat } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DrainReport, DrainRun } from "../../src/drain/report.ts";
import { noBrowser, openBrowser, openPage } from "../browser.ts";
import { bench } from "../harness.ts";

/** Kept after the test, with the screenshots: for people to look at. */
const folder = fileURLToPath(new URL("../../reports/page-test/", import.meta.url));
const url = pathToFileURL(`${folder}report.html`).href;

let report: DrainReport;
beforeAll(async () => {
  await mkdir(folder, { recursive: true });
  const line = "--messages 400 --keys 40 --handler 100..400 --scale 0.02 --window 64";
  const outcome = await bench([
    "--brokers",
    "memory",
    "--configs",
    "inline,2,8,16",
    "--out",
    folder,
    ...line.split(" "),
  ]);
  expect(outcome.code).toBe(0);
  report = JSON.parse(await readFile(`${folder}report.json`, "utf8"));
});

const missing = noBrowser();

describe.skipIf(missing !== undefined)("the page, opened from disk in Chromium", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  test("shows the figures of the JSON, complains of nothing and asks the network for nothing", async () => {
    await using opened = await openPage(browser, url, { viewport: { width: 1200, height: 900 } });
    const { page } = opened;
    await page.screenshot({ path: `${folder}wide-light.png`, fullPage: true });
    for (const run of report.runs) {
      expect(await figures(page, run)).toEqual({
        elapsedMs: run.elapsedMs,
        throughput: run.throughput,
        speedup: run.speedup,
        overBound: run.overBound,
        "waitMs.p50": run.waitMs.p50,
        "waitMs.p99": run.waitMs.p99,
        violations: run.violations,
        overlaps: run.overlaps,
        duplicates: run.duplicates,
        lost: run.lost,
        leftOnBroker: run.leftOnBroker,
        maxUnsettled: run.maxUnsettled,
        handlerMs: run.handlerMs,
        boundMs: run.boundMs,
      });
    }
    const keyed = report.runs.find(({ dispatch, lanes }) => dispatch === "keyed" && lanes === 8);
    const speedup = `${keyed?.speedup?.toFixed(2)}×`;
    expect(await shown(page, keyed as DrainRun, "speedup")).toBe(speedup);
    await expect(
      page.locator("svg.chart .series.keyed .value").allTextContents(),
    ).resolves.toContain(speedup);
    expect(await page.locator("h1").textContent()).toBe("400 messages of 40 keys, drained");
    expect(await page.locator(".verdict").textContent()).toContain("Every check held");
    expect(opened.complaints).toEqual([]);
    expect(opened.requests).toEqual([]);
  });

  test("draws a strip for every run, with an axis, and a name for every picture", async () => {
    await using opened = await openPage(browser, url, {});
    const { page } = opened;
    expect(await page.locator("figure.timeline").count()).toBe(report.runs.length);
    for (const picture of await page.locator("svg").all()) {
      const name = await picture.evaluate((svg) => {
        const by = svg.getAttribute("aria-labelledby")?.split(" ") ?? [];
        const label = svg.getAttribute("aria-label") ?? "";
        return label + by.map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
      });
      expect(name.length).toBeGreaterThan(10);
      expect(await picture.getAttribute("role")).toBe("img");
    }
    const busy = await page
      .locator("figure.timeline.keyed path.even")
      .first()
      .evaluate((path) => (path as SVGPathElement).getTotalLength());
    expect(busy).toBeGreaterThan(0);
  });

  test("the time axis and the strips above it have one scale", async () => {
    await using opened = await openPage(browser, url, { viewport: { width: 1000, height: 800 } });
    const run = report.runs.find(({ dispatch }) => dispatch === "inline") as DrainRun;
    const strips = opened.page.locator(".timelines").first();
    const strip = await strips.locator("svg").boundingBox();
    const tick = strips.locator(".time-axis span").nth(1);
    const label = (await tick.textContent()) ?? "";
    const ms = Number.parseFloat(label) * (label.endsWith(" ms") ? 1 : 1000);
    const box = await tick.boundingBox();
    const expected = (strip?.x ?? 0) + ((strip?.width ?? 0) * ms) / run.elapsedMs;
    expect(Math.abs((box?.x ?? 0) - expected)).toBeLessThan(2);
  });

  test("fits a phone without sideways scrolling, with text of a readable size", async () => {
    await using opened = await openPage(browser, url, {
      viewport: { width: 375, height: 812 },
      deviceScaleFactor: 2,
    });
    const { page } = opened;
    await page
      .locator("details")
      .first()
      .evaluate((details) => details.setAttribute("open", ""));
    await page.screenshot({ path: `${folder}phone-light.png`, fullPage: true });
    const widths = await page.evaluate(() => ({
      page: document.documentElement.scrollWidth,
      window: window.innerWidth,
    }));
    expect(widths).toEqual({ page: 375, window: 375 });
    const smallest = await page.evaluate(() => {
      const sizes = [...document.querySelectorAll("svg text")].map((text) => {
        const svg = text.closest("svg") as SVGSVGElement;
        const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
        return Number.parseFloat(getComputedStyle(text).fontSize) * scale;
      });
      return Math.min(...sizes);
    });
    expect(smallest).toBeGreaterThanOrEqual(11);
  });

  test("is dark where the system is, with contrast enough in both", async () => {
    const light = await colours(browser, "light");
    const dark = await colours(browser, "dark");
    expect(luminance(light.paper)).toBeGreaterThan(0.8);
    expect(luminance(dark.paper)).toBeLessThan(0.1);
    for (const { texts } of [light, dark]) {
      for (const [colour, behind] of texts) {
        expect(contrast(colour, behind)).toBeGreaterThanOrEqual(4.5);
      }
    }
  });

  test("keeps runs apart without colour", async () => {
    await using opened = await openPage(browser, url, { viewport: { width: 1200, height: 900 } });
    const { page } = opened;
    await page.addStyleTag({ content: "html { filter: grayscale(1) }" });
    await page.screenshot({ path: `${folder}wide-grey.png`, fullPage: true });
    const dashes = (kind: string): Promise<string> =>
      page
        .locator(`.series.${kind} .line`)
        .evaluate((line) => getComputedStyle(line).strokeDasharray);
    expect(await dashes("keyed")).not.toBe(await dashes("hashed"));
    const mark = (kind: string): Promise<string | null> =>
      page.locator(`.series.${kind} .mark`).first().getAttribute("d");
    expect(await mark("keyed")).not.toBe(await mark("hashed"));
  });

  async function colours(
    of: Browser,
    colorScheme: "light" | "dark",
  ): Promise<{ paper: string; texts: [string, string][] }> {
    await using opened = await openPage(of, url, {
      colorScheme,
      viewport: { width: 1200, height: 900 },
    });
    const { page } = opened;
    await page.screenshot({ path: `${folder}wide-${colorScheme}.png`, fullPage: true });
    return await page.evaluate(() => {
      const paper = getComputedStyle(document.body).backgroundColor;
      const card = getComputedStyle(document.querySelector(".card") as Element).backgroundColor;
      const texts = [...document.querySelectorAll("h1, p, dt, dd, th, td, figcaption, .tag, text")];
      return {
        paper,
        texts: texts.map((text): [string, string] => {
          const style = getComputedStyle(text);
          return [
            text instanceof SVGElement ? style.fill : style.color,
            text.closest(".card") === null ? paper : card,
          ];
        }),
      };
    });
  }
});

test("a thousand messages through a dozen designs stay below 1 MB", async () => {
  const { size } = await stat(`${folder}report.html`);
  expect(size * (1000 / 400) * (12 / report.runs.length)).toBeLessThan(1e6);
});

/** Every figure of a run's rows, as the page has it. */
function figures(page: Page, run: DrainRun): Promise<Record<string, number | null>> {
  return page.locator(rowOf(run)).evaluateAll((rows) =>
    Object.fromEntries(
      rows.flatMap((row) =>
        [...row.querySelectorAll("td")].map((cell) => {
          const value = cell.querySelector("data")?.value;
          return [
            cell.getAttribute("data-field") ?? "",
            value === undefined ? null : Number(value),
          ];
        }),
      ),
    ),
  );
}

async function shown(page: Page, run: DrainRun, field: string): Promise<string | null> {
  return page.locator(`${rowOf(run)} td[data-field="${field}"]`).textContent();
}

function rowOf({ broker, dispatch, lanes }: DrainRun): string {
  return `tr[data-broker="${broker}"][data-dispatch="${dispatch}"][data-lanes="${lanes}"]`;
}

/** Relative luminance and contrast as WCAG 2 defines them. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map((text) => {
    const share = Number(text) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(colour: string, behind: string): number {
  const [dark = 0, light = 0] = [luminance(colour), luminance(behind)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
