import { expect, test } from "vitest";
import { sources } from "./sources.ts";

/** What each package may import, besides its own files and `node:*`. */
const allowed: Record<string, readonly string[]> = {
  "packages/core": ["@standard-schema/spec"],
  "packages/contract": ["@lab/core", "vitest"],
  "packages/mqtt": ["@lab/core", "mqtt"],
  "packages/amqp": ["@lab/core", "amqplib"],
  "packages/kafka": ["@lab/core", "kafkajs"],
  "packages/mqtt-broker": ["@lab/core", "mqtt-packet", "ws"],
  "packages/solace": ["@lab/core", "solclientjs"],
  "examples/adapter": ["@lab/core"],
};

const imports = (text: string): string[] =>
  [...text.matchAll(/(?:from|import\()\s*"([^"]+)"/g)].map((match) => match[1] as string);

const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

test("core imports no broker, adapters only core and their own client, contract only core and vitest", () => {
  const wrong = sources().flatMap(({ path, text }) => {
    const may = allowed[path.split("/").slice(0, 2).join("/")];
    return imports(text)
      .filter((specifier) => !specifier.startsWith(".") && !specifier.startsWith("node:"))
      .map(packageOf)
      .filter((name) => may !== undefined && !may.includes(name))
      .map((name) => `${path} imports ${name}`);
  });
  expect(wrong).toEqual([]);
});

test("adapters take their client at run time from whoever uses them, and import its types only", () => {
  const client = '(?:mqtt|amqplib|kafkajs|solclientjs)["/]';
  const atRunTime = new RegExp(
    `^(?:import|export) (?!type )[^;]*from "${client}|(?:import|require)\\(?\\s*"${client}`,
    "m",
  );
  expect('import mqtt, { connect } from "mqtt";').toMatch(atRunTime);
  expect('await import("solclientjs/lib")').toMatch(atRunTime);
  const wrong = sources().filter(
    ({ path, text }) =>
      /^packages\/(mqtt|amqp|kafka|solace)\//.test(path) &&
      atRunTime.test(text.replace(/^ *(?:\*|\/[/*]).*$/gm, "")),
  );
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

test("no package is left out of the rule but the test bed, the benchmarks, the examples and what is private", () => {
  const folders = new Set(sources().map(({ path }) => path.split("/").slice(0, 2).join("/")));
  expect([...folders].filter((folder) => !(folder in allowed))).toEqual([
    "packages/solace-testbroker",
    "packages/testbed",
    "apps/bench",
    "examples/src",
  ]);
});

test("no source file is longer than 300 lines", () => {
  const long = sources().filter(({ text }) => text.split("\n").length > 301);
  expect(long.map(({ path }) => path)).toEqual([]);
});

test("the adapter of the guide is short", () => {
  const lines = sources()
    .filter(({ path }) => path.startsWith("examples/adapter/"))
    .map(({ text }) => text.trimEnd().split("\n").length);
  expect(lines.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(200);
});
