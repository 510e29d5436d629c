import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Rig } from "@lab/contract";
import { memoryRig } from "@lab/contract/memory";
import { LabError } from "@lab/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BrokerChoice, BrokerName } from "../../src/brokers.ts";
import { drain } from "../../src/drain/drain.ts";
import { parseDrainOptions } from "../../src/drain/options.ts";
import { drainPage } from "../../src/drain/page/page.ts";
import type { DrainReport } from "../../src/drain/report.ts";
import type { DrainResult } from "../../src/drain/result.ts";
import { bench } from "../harness.ts";
import {
  cutsAt,
  type Fault,
  faultyRig,
  keeps,
  loses,
  overruns,
  repeats,
  silent,
  swaps,
} from "./faulty-rig.ts";

const tiny = "--messages 60 --keys 12 --handler 100..200 --scale 0.02 --window 24".split(" ");

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "bench-"));
});
afterEach(() => rm(folder, { recursive: true }));

const readReport = async (): Promise<DrainReport> =>
  JSON.parse(await readFile(path.join(folder, "report.json"), "utf8"));

test("drains memory with every design and reports it in the agreed shape", async () => {
  const outcome = await bench(
    ["drain", "--brokers", "memory", "--configs", "inline,2,4", "--out", folder].concat(tiny),
  );
  expect(outcome.err).toBe("");
  expect(outcome.code).toBe(0);
  expect(outcome.out).toContain("memory in process (not a real broker)");
  expect(outcome.out).toMatch(
    /configuration +elapsed +throughput +speed-up +over bound +p50 wait +p99 wait +violations/,
  );
  expect(outcome.out).toContain("kept the order of each key");

  const report = await readReport();
  expect(Object.keys(report)).toEqual(["kind", "startedAt", "environment", "params", "runs"]);
  expect(report.kind).toBe("drain");
  expect(new Date(report.startedAt).toISOString()).toBe(report.startedAt);
  expect(report.environment).toEqual({
    node: process.version,
    os: expect.any(String),
    cpu: expect.any(String),
    cores: expect.any(Number),
    memoryBytes: expect.any(Number),
  });
  expect(report.params).toEqual({
    brokers: ["memory"],
    configs: ["inline", 2, 4],
    dispatch: "both",
    messages: 60,
    keys: 12,
    keyDist: "even",
    handler: [100, 200],
    scale: 0.02,
    window: 24,
    seed: 1,
  });
  expect(report.runs.map(({ dispatch, lanes }) => `${dispatch} ${lanes}`)).toEqual([
    "inline 1",
    "hashed 2",
    "keyed 2",
    "hashed 4",
    "keyed 4",
  ]);
  const inline = report.runs[0];
  for (const run of report.runs) {
    expect(run).toEqual({
      broker: "memory",
      brokerVersion: "in process",
      real: false,
      dispatch: run.dispatch,
      lanes: run.lanes,
      elapsedMs: expect.any(Number),
      throughput: (60 / run.elapsedMs) * 1000,
      speedup: (inline?.elapsedMs ?? 0) / run.elapsedMs,
      handlerMs: expect.any(Number),
      boundMs: expect.any(Number),
      overBound: run.elapsedMs / run.boundMs,
      waitMs: { p50: expect.any(Number), p99: expect.any(Number) },
      violations: 0,
      overlaps: 0,
      duplicates: 0,
      lost: 0,
      leftOnBroker: 0,
      maxUnsettled: 24,
      window: 24,
    });
    expect(run.boundMs).toBeGreaterThanOrEqual(run.handlerMs / run.lanes);
    expect(run.overBound).toBeGreaterThanOrEqual(1);
    expect(run.waitMs.p99).toBeGreaterThanOrEqual(run.waitMs.p50);
  }
});

test("without inline there is no speed-up, and the table says why", async () => {
  const outcome = await bench(
    ["--brokers", "memory", "--configs", "4", "--dispatch", "keyed", "--out", folder].concat(tiny),
  );
  expect(outcome.code).toBe(0);
  expect(outcome.out).toContain("No speed-up: it is against inline");
  const { runs } = await readReport();
  expect(runs.map(({ speedup }) => speedup)).toEqual([null]);
});

test.each(["uniform", "zipf:1.2", "clustered:5"])("keeps order with keys %s", async (keyDist) => {
  const outcome = await bench(
    ["--brokers", "memory", "--configs", "4", "--key-dist", keyDist, "--out", folder].concat(tiny),
  );
  expect(outcome.code).toBe(0);
});

describe("a broken adapter", () => {
  const drainBroken = async (
    fault: Fault,
    configs: string,
  ): Promise<Omit<DrainResult, "skipped">> => {
    const options = parseDrainOptions(
      `--configs ${configs} --dispatch keyed --messages 24 --keys 1 --handler 1..2 --full --window 8`.split(
        " ",
      ),
    );
    const rig = faultyRig(fault);
    try {
      return await drain(options, [{ name: "memory", rig }], {
        signal: new AbortController().signal,
        patience: 500,
        progress: { start() {}, advance() {}, stop() {} },
        onBroker() {},
      });
    } finally {
      await rig.close();
    }
  };
  const broken = async (fault: Fault): Promise<readonly string[]> =>
    (await drainBroken(fault, "4")).failures;

  test("that swaps messages is found out", async () => {
    const failures = await broken(swaps());
    expect(failures[0]).toBe("memory, 4 keyed lanes: 1 message out of order.");
    expect(failures[1]).toContain("key-0/1 started before key-0/0 was done");
  });

  test("that repeats a message is found out", async () => {
    const failures = await broken(repeats());
    expect(failures[0]).toBe(
      "memory, 4 keyed lanes: 1 message handled again without a lost connection.",
    );
  });

  test("that loses a message is found out", async () => {
    const failures = await broken(loses);
    expect(failures).toContain("memory, 4 keyed lanes: 1 message never handled.");
    expect(failures.at(-1)).toMatch(/Nothing was handled for \d+ ms/);
  });

  test("that does not acknowledge is found out", async () => {
    const failures = await broken(keeps);
    expect(failures).toEqual(["memory, 4 keyed lanes: 1 message left on the broker."]);
  });

  test("that delivers nothing is found out, and the page says so without a broken figure", async () => {
    const result = await drainBroken(silent, "inline,2");
    expect(result.failures).toContain("memory, inline: 24 messages never handled.");
    expect(result.runs.map(({ elapsedMs, speedup }) => ({ elapsedMs, speedup }))).toEqual(
      new Array(2).fill({ elapsedMs: 0, speedup: null }),
    );
    const page = drainPage({ ...result, skipped: [] });
    expect(page).not.toMatch(/NaN|Infinity/);
    expect(page).toContain("24 messages never handled");
  });

  test("that exceeds the window is found out", async () => {
    const failures = await broken(overruns);
    expect(failures).toEqual([
      "memory, 4 keyed lanes: 16 deliveries unsettled at once, above the window of 8.",
    ]);
  });

  test("makes the exit code 1, with the report written all the same", async () => {
    const choice = choiceOf("memory", () => faultyRig(repeats()));
    const outcome = await bench(
      ["--brokers", "memory", "--configs", "2", "--out", folder].concat(tiny),
      { choices: [choice] },
    );
    expect(outcome.code).toBe(1);
    expect(outcome.out).toContain("✗ memory, 2 hashed lanes: 1 message handled again");
    const { runs } = await readReport();
    expect(runs.map(({ duplicates }) => duplicates)).toContain(1);
  });
});

describe("a broker that cannot be started", () => {
  const missing = choiceOf("mqtt", () => {
    throw new LabError("BROKER_START_FAILED", "No mosquitto here.");
  });
  const memory = choiceOf("memory", memoryRig);
  const few = ["--configs", "2", "--dispatch", "keyed"].concat(tiny);

  test("makes the exit code 1 where it was named", async () => {
    const outcome = await bench(["--brokers", "memory,mqtt", "--out", folder, ...few], {
      choices: [memory, missing],
    });
    expect(outcome.code).toBe(1);
    expect(outcome.err).toBe("BROKER_START_FAILED: No mosquitto here.\n");
  });

  test("makes the exit code 1 where every broker is required", async () => {
    const outcome = await bench(["--out", folder, ...few], {
      choices: [memory, missing],
      brokersRequired: true,
    });
    expect(outcome.code).toBe(1);
    expect(outcome.err).toContain("No mosquitto here.");
  });

  test("is left out, and said to be, where it was not", async () => {
    const outcome = await bench(["--out", folder, ...few], { choices: [memory, missing] });
    expect(outcome.code).toBe(0);
    expect(outcome.out).toContain("Not run: mqtt. No mosquitto here.");
    expect(await readFile(path.join(folder, "report.html"), "utf8")).toContain("Not run: mqtt.");
  });
});

test("repeats that a lost connection explains are counted and forgiven", async () => {
  const memory = memoryRig();
  const cut = cutsAt(10, () => void memory.faults.cut?.());
  const choice = choiceOf("memory", () => faultyRig(cut, memory));
  const outcome = await bench(
    ["--brokers", "memory", "--configs", "2", "--dispatch", "keyed", "--out", folder].concat(tiny),
    { choices: [choice] },
  );
  expect(outcome).toMatchObject({ code: 0, err: "" });
  const { runs } = await readReport();
  expect(runs[0]?.duplicates).toBeGreaterThan(0);
});

test("an interruption ends the run, closes the broker and writes no report", async () => {
  const interrupt = new AbortController();
  const running = bench(["--brokers", "memory", "--full", "--out", folder], {
    signal: interrupt.signal,
  });
  setTimeout(() => interrupt.abort(new Error("Interrupted.")), 300);
  const outcome = await running;
  expect(outcome.code).toBe(130);
  await expect(readReport()).rejects.toThrow("ENOENT");
});

test("a folder that cannot be made is refused before anything is run", async () => {
  const file = path.join(folder, "file");
  await writeFile(file, "");
  const outcome = await bench(["--brokers", "memory", "--out", file]);
  expect(outcome.code).toBe(2);
  expect(outcome.err).toMatch(/`--out` to be a folder that can be made/);
});

function choiceOf(name: BrokerName, start: () => Rig): BrokerChoice {
  return { name, start: async () => start() };
}
