// Proves that the tests can fail. A comment above a test names a line of the source and what to put in its place:
//   // Break it: src/file.ts: `old` -> `new`
// Each of them is applied alone, in a copy of the package, and the test file has to fail.
//   npm run test:breaks -w @lab/core [-- part of a test file's name]
import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const tests = "packages/core/test";
const comment = /\/\/ Break it: (\S+): `([^`]*)` -> `([^`]*)`/g;

const copy = mkdtempSync(join(tmpdir(), "break-"));
for (const path of ["package.json", "vitest.config.ts", "tsconfig.base.json", "packages/core"]) {
  cpSync(join(root, path), join(copy, path), { recursive: true });
}
symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));

let unnoticed = 0;
try {
  const files = readdirSync(join(root, tests), { recursive: true, encoding: "utf8" });
  for (const file of files.filter((name) => name.endsWith(".test.ts")).sort()) {
    if (!file.includes(process.argv[2] ?? "")) continue;
    const text = readFileSync(join(copy, tests, file), "utf8");
    for (const [, source, before, after] of text.matchAll(comment)) {
      const path = join(copy, "packages/core", source);
      const original = readFileSync(path, "utf8");
      const found = original.split(before).length - 1;
      writeFileSync(
        path,
        original.replace(before, () => after),
      );
      const run = spawnSync(
        process.execPath,
        [
          "node_modules/vitest/vitest.mjs",
          "run",
          "--root",
          copy,
          "--testTimeout",
          "5000",
          join(tests, file),
        ],
        { cwd: copy, encoding: "utf8", timeout: 120_000 },
      );
      writeFileSync(path, original);
      const failed = run.stdout.match(/Tests .*?(\d+) failed/)?.[1];
      const noticed = found === 1 && run.status !== 0 && failed !== undefined;
      if (!noticed) unnoticed++;
      const verdict =
        found !== 1 ? `found ${found} times` : noticed ? `${failed} failed` : "NOT NOTICED";
      console.log(`${verdict.padEnd(14)} ${file}  ${source}: ${before}`);
    }
  }
} finally {
  rmSync(copy, { recursive: true });
}
console.log(unnoticed === 0 ? "Every break was noticed." : `${unnoticed} breaks were not noticed.`);
process.exitCode = unnoticed === 0 ? 0 : 1;
