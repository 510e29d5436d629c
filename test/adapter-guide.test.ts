import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "./sources.ts";

/** One row of the guide's table of faults. */
interface Fault {
  readonly name: string;
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly scenario: string;
  readonly saying: string;
}

const guide = readFileSync(join(root, "docs/guides/write-an-adapter.md"), "utf8");
const rows = guide.matchAll(/^\| (.+?) +\| `(.+?)` +\| `(.+)` → `(.+)` +\| (.+?) +\| (.+?) +\|$/gm);
const faults = [...rows].map(
  ([, name = "", file = "", before = "", after = "", scenario = "", saying = ""]): Fault => ({
    name,
    file,
    before,
    after,
    scenario,
    saying,
  }),
);

/** Passes in full where something never comes: that is how most faults are seen. */
const testWithDeadline = `import { contract } from "@lab/contract";
import { capabilities, pocketRig } from "./rig.ts";

contract({ name: "broken", capabilities, rig: () => pocketRig(), deadline: 3_000 });
`;

/** For one run of vitest, in ms, on a busy machine. */
const timeout = 60_000;

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "adapter-guide-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A copy of the example, in a folder that knows nothing of this repository but what is installed. */
function copyOf(name: string): string {
  const copy = join(folder, name);
  cpSync(join(root, "examples/adapter"), copy, { recursive: true });
  return copy;
}

function breakIt(copy: string, { file, before, after }: Fault): void {
  const path = join(copy, "src", file);
  const source = readFileSync(path, "utf8");
  expect(source).toContain(before);
  writeFileSync(path, source.replaceAll(before, after));
  writeFileSync(join(copy, "test/contract.test.ts"), testWithDeadline);
}

/** Runs one scenario as a reader of the guide does. */
function run(copy: string, scenario: string): Promise<{ failed: boolean; output: string }> {
  const args = [join(root, "node_modules/vitest/vitest.mjs"), "run", "-t", scenario];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: copy, timeout }, (error, stdout, stderr) => {
      const output = stripVTControlCharacters(`${stdout}${stderr}`);
      resolve({ failed: error !== null, output });
    });
  });
}

describe("the adapter guide", { concurrent: true, timeout: 2 * timeout }, () => {
  test("shows what is printed", async ({ expect }) => {
    const { failed, output } = await run(copyOf("green"), "declares what the adapter and the rig");
    expect(failed).toBe(false);
    const [, printed = ""] = /```text\n([\s\S]+?)```/.exec(guide) ?? [];
    expect(output).toContain(printed);
    expect(printed).toContain("Pocket Queue: skipped\n");
  });

  test("has a fault in every row of its table", ({ expect }) => {
    expect(faults.length).toBe([...guide.matchAll(/→/g)].length);
    expect(faults.length).toBeGreaterThan(10);
  });

  for (const [row, fault] of faults.entries()) {
    test(`${fault.name}: fails "${fault.scenario}"`, async ({ expect }) => {
      const copy = copyOf(`fault-${row}`);
      breakIt(copy, fault);
      const { failed, output } = await run(copy, fault.scenario);
      expect(output).toContain(fault.saying);
      expect(output).toMatch(new RegExp(`FAIL .* > \\w+: ${fault.scenario}\n`));
      expect(failed).toBe(true);
    });
  }
});
