import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

// A comment "Break it" above a test says how to see that test fail; `npm run test:breaks -w @lab/core` does it. Here
// only that the comments still speak of the source as it is.
const comment = /\/\/ Break it: (\S+): `([^`]*)` -> `[^`]*`/g;

const tests = fileURLToPath(new URL("../", import.meta.url));
const core = fileURLToPath(new URL("../../", import.meta.url));

const breaks = readdirSync(tests, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .flatMap((file) => {
    const text = readFileSync(tests + file, "utf8");
    return [...text.matchAll(comment)].map(([, source = "", old = ""]) => ({ file, source, old }));
  });

describe("each break that a test names", () => {
  it.each(breaks)("is one line of $source: $old", ({ source, old }) => {
    expect(readFileSync(core + source, "utf8").split(old)).toHaveLength(2);
  });

  it("there is one for every invariant", () => {
    const files = readdirSync(`${tests}invariants`).filter((file) => !file.startsWith("breaks"));
    expect(files).toHaveLength(9);
    for (const file of files) {
      expect(breaks.map((one) => one.file)).toContain(`invariants/${file}`);
    }
  });
});
