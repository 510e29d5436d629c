import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { memoryCapabilities } from "../src/memory/index.ts";
import { scenarios } from "../src/scenarios/index.ts";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const readme = read("../README.md");

function section(title: string): string {
  const [, text = ""] = readme.split(`## ${title}\n`);
  return text.split("\n## ")[0] ?? "";
}

test("the README lists every scenario, by theme and in order", () => {
  const documented: Record<string, string[]> = {};
  let names: string[] = [];
  for (const line of section("The scenarios").split("\n")) {
    const theme = /^### (.+)$/.exec(line)?.[1];
    if (theme !== undefined) documented[theme] = names = [];
    const name = /^- `(.+)`$/.exec(line)?.[1];
    if (name !== undefined) names.push(name);
  }
  const registered = Object.entries(scenarios).map(([theme, list]) => [
    theme,
    list.map(({ name }) => name),
  ]);
  expect(documented).toEqual(Object.fromEntries(registered));
});

test("the README describes every capability", () => {
  const described = [...section("Declare capabilities").matchAll(/^\| `(\w+)` +\|/gm)];
  const known = [...Object.keys(memoryCapabilities), "largestBody"];
  expect(described.map(([, name]) => name).sort()).toEqual(known.sort());
});

test("the README shows the test of the memory adapter as it runs", () => {
  expect(section("Register it")).toContain(read("memory.test.ts"));
});

test("names of scenarios are unique and can be given to vitest -t as they are", () => {
  const names = Object.values(scenarios).flatMap((list) => list.map(({ name }) => name));
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[\w ,-]+$/);
});
