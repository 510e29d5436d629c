import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { settingsOf } from "../src/options.ts";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const readme = read("../README.md");
const types = read("../src/types.ts");

/** `1_000` and `16 MiB` as numbers. */
function numberOf(text: string): number {
  const [digits = "", unit] = text.split(" ");
  return Number(digits.replaceAll("_", "")) * (unit === "MiB" ? 1_048_576 : 1);
}

test("the README and the types tell the defaults that apply", () => {
  const [, table = ""] = readme.split("### Options\n");
  const documented = Object.fromEntries(
    [...table.matchAll(/^\| `(\w+)` +\| `([\d_]+(?: MiB)?)` +\|/gm)].map(([, name, value]) => [
      name,
      numberOf(value as string),
    ]),
  );
  expect(documented).toEqual({ ...settingsOf({}) });
  const [, limits = ""] = types.split("export interface BrokerLimits {");
  const declared = Object.fromEntries(
    [...limits.matchAll(/@default ([\d_]+(?: MiB)?)[^\n]*\n {2}readonly (\w+): number/g)].map(
      ([, value, name]) => [name, numberOf(value as string)],
    ),
  );
  expect(declared).toEqual(documented);
});

test("the README names every hook, event and call", () => {
  const names = (title: string): string[] => {
    const [, rest = ""] = types.split(`export interface ${title}`);
    const [body = ""] = rest.split("\n}");
    return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(
      (match) => match[1] as string,
    );
  };
  for (const title of ["BrokerHooks", "BrokerEvents", "MqttBroker extends"]) {
    expect(names(title).length).toBeGreaterThan(3);
    for (const name of names(title)) expect(readme).toContain(`\`${name}`);
  }
});
