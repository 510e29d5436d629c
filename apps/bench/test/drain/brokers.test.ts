import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { availability } from "@lab/testbed";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type BrokerChoice, startMqtt } from "../../src/brokers.ts";
import type { DrainReport } from "../../src/drain/report.ts";
import { bench, type Outcome } from "../harness.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "bench-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function drainOn(
  choices?: readonly BrokerChoice[],
): Promise<{ outcome: Outcome; runs: DrainReport["runs"] }> {
  const line =
    "--brokers mqtt --configs inline,4 --messages 60 --keys 12 --handler 2..4 --full --window 24";
  const argv = [...line.split(" "), "--out", folder];
  const brokersRequired = process.env.LAB_REQUIRE_BROKERS === "1";
  const outcome = await bench(argv, choices === undefined ? { brokersRequired } : { choices });
  const report: DrainReport = JSON.parse(await readFile(path.join(folder, "report.json"), "utf8"));
  return { outcome, runs: report.runs };
}

const checked = { violations: 0, overlaps: 0, duplicates: 0, lost: 0, leftOnBroker: 0 };

test("drains the MQTT broker that the test bed finds", async () => {
  const { use } = await availability("mqtt");
  const { outcome, runs } = await drainOn();
  expect(outcome).toMatchObject({ code: 0, err: "" });
  expect(runs).toHaveLength(3);
  const real = process.env.LAB_REQUIRE_BROKERS === "1" || use?.real;
  for (const run of runs) expect(run).toMatchObject({ real, ...checked });
});

test("an embedded broker is named as one wherever its figures show", async () => {
  const start: BrokerChoice["start"] = ({ signal }) => startMqtt({ signal, how: "embedded" });
  const { outcome, runs } = await drainOn([{ name: "mqtt", start }]);
  expect(outcome).toMatchObject({ code: 0, err: "" });
  expect(outcome.out).toMatch(/aedes [\d.]+.*\(not a real broker\)/);
  for (const run of runs) expect(run).toMatchObject({ broker: "aedes", real: false, ...checked });
  const page = await readFile(path.join(folder, "report.html"), "utf8");
  expect(page).toContain("not a real broker");
});
