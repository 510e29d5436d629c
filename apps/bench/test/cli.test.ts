import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Outcome } from "./harness.ts";

const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "bench-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Runs the built program, as `npm run bench` does. */
function run(...argv: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [cli, ...argv], { cwd: folder }, (_, out, err) => {
      resolve({ code: child.exitCode ?? -1, out, err });
    });
  });
}

const tiny =
  "--brokers memory --configs inline,2 --messages 20 --keys 4 --handler 1..2 --full".split(" ");

test("without a command it drains, into a folder named after the time", async () => {
  const outcome = await run(...tiny);
  expect(outcome).toMatchObject({ code: 0, err: "" });
  const [page, json] = outcome.out.trim().split("\n").slice(-2);
  expect(page).toMatch(/^reports\/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-drain\/report\.html$/);
  expect(await readFile(path.join(folder, page ?? ""), "utf8")).toContain("<!doctype html>");
  expect(JSON.parse(await readFile(path.join(folder, json ?? ""), "utf8")).kind).toBe("drain");
});

test.skipIf(process.platform !== "linux")(
  "--out in a folder that takes none is refused, and at once",
  async () => {
    const outcome = await run("drain", ...tiny, "--out", "/proc/nope/a");
    expect(outcome.code).toBe(2);
    expect(outcome.err).toMatch(/`--out` to be a folder that can be made, got "\/proc\/nope\/a"/);
  },
);

test("--out says where the reports go", async () => {
  const outcome = await run("drain", ...tiny, "--out", "a/b");
  expect(outcome.code).toBe(0);
  expect(outcome.out).toContain(path.join("a", "b", "report.json"));
});

test("help lists the commands, and each command its options", async () => {
  const general = await run("--help");
  expect(general).toMatchObject({ code: 0, err: "" });
  expect(general.out).toMatch(
    / {2}drain .*\n {2}throughput .*\n {2}publish .*\n {2}sync .*\n {2}engine /,
  );
  const drain = await run("drain", "--help");
  expect(drain).toMatchObject({ code: 0, err: "" });
  expect(drain.out).toMatch(/--key-dist HOW .*zipf:S.*\[even\]/);
  const engine = await run("engine", "--help");
  expect(engine).toMatchObject({ code: 0, err: "" });
  expect(engine.out).toContain("--out DIR");
});

test.each([
  [
    ["brew"],
    /^INVALID_OPTION: Expected `command` to be drain, throughput, publish, sync or engine, got "brew"/,
  ],
  [["--lanes", "4"], /^INVALID_OPTION: Expected an option of `drain`.*got "--lanes"/],
  [["engine", "--keys", "4"], /^INVALID_OPTION: Expected an option of `engine`.*got "--keys"/],
  [["drain", "--configs", "0"], /^INVALID_OPTION: .*got "0"/],
])("%j ends with exit code 2 and one line", async (argv, message) => {
  const outcome = await run(...argv);
  expect(outcome.code).toBe(2);
  expect(outcome.err).toMatch(message);
  expect(outcome.err.trim().split("\n")).toHaveLength(1);
});
