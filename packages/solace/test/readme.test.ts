import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const readme = read("../README.md");
const source = read("../src/options.ts");

/** Names and defaults in the table that follows `title`. */
function documented(title: string): Record<string, string> {
  const [, rest = ""] = readme.split(`\`${title}(options)\`:\n`);
  const [table = ""] = rest.trimStart().split("\n\n");
  return Object.fromEntries(
    [...table.matchAll(/^\| `(\w+)` +\| (?:`(.*?)`)? +\|/gm)].map(([, name, value]) => [
      name,
      value ?? "",
    ]),
  );
}

/** Names and defaults of an interface, those that it extends before its own. */
function declared(name: string): Record<string, string> {
  const found: Record<string, string> = {};
  const [, parent, body = ""] =
    new RegExp(`interface ${name} (?:extends (\\w+) )?{\\n([\\s\\S]*?)\\n}`).exec(source) ?? [];
  if (parent !== undefined) Object.assign(found, declared(parent));
  let value = "";
  for (const line of body.split("\n")) {
    value = /@default (.*?)(?: \*\/)?$/.exec(line)?.[1] ?? value;
    const option = /^ {2}readonly (\w+)\??:/.exec(line)?.[1];
    if (option === undefined) continue;
    found[option] = value;
    value = "";
  }
  return found;
}

test.for([
  ["solaceSubscriber", "SolaceSubscriberOptions"],
  ["solacePublisher", "SolacePublisherOptions"],
] as const)("the README has every option of %s with its default", ([title, name]) => {
  expect(Object.keys(declared(name)).length).toBeGreaterThan(5);
  expect(documented(title)).toEqual(declared(name));
});
