import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const executablePath = process.env.CHROME_PATH ?? "/usr/bin/chromium";

/** Why there is no browser to test with; undefined where there is one. `LAB_REQUIRE_BROKERS=1` makes it an error. */
export function noBrowser(): string | undefined {
  if (existsSync(executablePath)) return undefined;
  const why = `No Chromium at ${executablePath}: set CHROME_PATH to test the report in a real browser.`;
  if (process.env.LAB_REQUIRE_BROKERS === "1") throw new Error(why);
  console.info(`Skipped: ${why}`);
  return why;
}

export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** A page opened from disk, with what it complained about and what it asked the network for. */
export interface OpenedPage extends AsyncDisposable {
  readonly page: Page;
  readonly complaints: readonly string[];
  readonly requests: readonly string[];
}

export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions,
): Promise<OpenedPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => {
    if (message.type() !== "log") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (request.url() !== url && !request.url().startsWith("data:")) requests.push(request.url());
  });
  await page.goto(url);
  return { page, complaints, requests, [Symbol.asyncDispose]: () => context.close() };
}
