import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { definitions as ofDrain } from "../src/drain/definitions.ts";
import { drainHelp, parseDrainOptions } from "../src/drain/options.ts";
import { definitions as ofEngine } from "../src/engine/definitions.ts";
import { engineHelp, parseEngineOptions } from "../src/engine/options.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

test("the README has the help of both commands as it is", () => {
  expect(readme).toContain(`\n${drainHelp}`);
  expect(readme).toContain(`\n${engineHelp}`);
});

test("the README and the pages define every figure in the same words", () => {
  const figures = [...readme.matchAll(/^- \*\*(.+)\*\*: (.+)$/gm)].map((found) => found.slice(1));
  expect(figures).toEqual([...Object.entries(ofDrain), ...Object.entries(ofEngine)]);
});

test("every command line in the README is one that the commands take", () => {
  const lines = [...readme.matchAll(/^npm run bench(?: -- (\w+)([^#\n]*))?/gm)];
  expect(lines.length).toBeGreaterThan(3);
  for (const [, command, rest = ""] of lines) {
    const argv = rest.trim().split(/\s+/).filter(Boolean);
    if (command === "engine") parseEngineOptions(argv);
    else parseDrainOptions(argv);
  }
});
