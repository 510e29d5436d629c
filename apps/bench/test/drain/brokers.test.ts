import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { availability } from "@lab/testbed";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type BrokerChoice, type BrokerName, startMqtt } from "../../src/brokers.ts";
import type { DrainReport } from "../../src/drain/report.ts";
import { bench, type Outcome } from "../harness.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "bench-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function drainOn(
  name: BrokerName,
  choices?: readonly BrokerChoice[],
): Promise<{ outcome: Outcome; runs: DrainReport["runs"] }> {
  const line = "--configs inline,4 --messages 60 --keys 12 --handler 2..4 --full --window 24";
  const argv = ["--brokers", name, ...line.split(" "), "--out", folder];
  const outcome = await bench(argv, choices === undefined ? { brokersRequired } : { choices });
  expect(outcome, outcome.out).toMatchObject({ code: 0, err: "" });
  const report: DrainReport = JSON.parse(await readFile(path.join(folder, "report.json"), "utf8"));
  return { outcome, runs: report.runs };
}

const brokersRequired = process.env.LAB_REQUIRE_BROKERS === "1";
const checked = { violations: 0, overlaps: 0, duplicates: 0, lost: 0, leftOnBroker: 0 };

for (const name of ["mqtt", "amqp", "kafka", "solace"] as const) {
  // Of Solace there is none to install: without one elsewhere the test double has to do.
  const { use } = await availability(name, { real: brokersRequired && name !== "solace" });
  const missing = use === undefined && !brokersRequired;
  if (missing) console.warn(`Skipped: drain on ${name}, of which there is no broker here.`);

  test.skipIf(missing)(`drains the ${name} broker that the test bed finds`, async () => {
    const { runs } = await drainOn(name);
    expect(runs).toHaveLength(3);
    for (const run of runs) expect(run).toMatchObject({ real: use?.real, ...checked });
  });
}

test("an embedded broker is named as one wherever its figures show", async () => {
  const start: BrokerChoice["start"] = ({ signal }) => startMqtt({ signal, how: "embedded" });
  const { outcome, runs } = await drainOn("mqtt", [{ name: "mqtt", start }]);
  const embedded = runs[0]?.broker ?? "";
  expect(outcome.out).toMatch(new RegExp(`^${embedded} .*\\(not a real broker\\)`, "m"));
  for (const run of runs) expect(run).toMatchObject({ real: false, ...checked });
  const page = await readFile(path.join(folder, "report.html"), "utf8");
  expect(page).toContain("not a real broker");
});
