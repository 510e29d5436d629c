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

/** Names and defaults of an interface. */
function declared(name: string): Record<string, string> {
  const [, rest = ""] = source.split(`export interface ${name} {\n`);
  const [body = ""] = rest.split("\n}");
  const found: Record<string, string> = {};
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
  ["mqttSubscriber", "MqttSubscriberOptions"],
  ["mqttPublisher", "MqttPublisherOptions"],
] as const)("the README has every option of %s with its default", ([title, name]) => {
  expect(Object.keys(declared(name)).length).toBeGreaterThan(4);
  expect(documented(title)).toEqual(declared(name));
});
