import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { definitions as ofDrain } from "../src/drain/definitions.ts";
import { drainHelp, parseDrainOptions } from "../src/drain/options.ts";
import { definitions as ofEngine } from "../src/engine/definitions.ts";
import { engineHelp, parseEngineOptions } from "../src/engine/options.ts";
import { definitions as ofPublish } from "../src/publish/definitions.ts";
import { parsePublishOptions, publishHelp } from "../src/publish/options.ts";
import { definitions as ofSync } from "../src/sync/definitions.ts";
import { parseSyncOptions, syncHelp } from "../src/sync/options.ts";
import { definitions as ofThroughput } from "../src/throughput/definitions.ts";
import { parseThroughputOptions, throughputHelp } from "../src/throughput/options.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

interface Documented {
  readonly help: string;
  readonly parse: (argv: readonly string[]) => unknown;
  readonly definitions: Readonly<Record<string, string>>;
}

/** In the order of their sections. */
const commands: Readonly<Record<string, Documented>> = {
  drain: { help: drainHelp, parse: parseDrainOptions, definitions: ofDrain },
  throughput: { help: throughputHelp, parse: parseThroughputOptions, definitions: ofThroughput },
  publish: { help: publishHelp, parse: parsePublishOptions, definitions: ofPublish },
  sync: { help: syncHelp, parse: parseSyncOptions, definitions: ofSync },
  engine: { help: engineHelp, parse: parseEngineOptions, definitions: ofEngine },
};

test.each(Object.entries(commands))("the README has the help of %s as it is", (name, { help }) => {
  expect(readme).toContain(`\n## ${name}\n`);
  expect(readme).toContain(`\n${help}`);
});

test("the README and the pages define every figure in the same words", () => {
  const figures = [...readme.matchAll(/^- \*\*(.+)\*\*: (.+)$/gm)].map((found) => found.slice(1));
  const defined = Object.values(commands).flatMap(({ definitions }) => Object.entries(definitions));
  expect(figures).toEqual(defined);
});

test("every command line in the README is one that the commands take", () => {
  const lines = [...readme.matchAll(/^npm run bench(?: -- (\w+)([^#\n]*))?/gm)];
  expect(lines.length).toBeGreaterThan(3);
  for (const [, command = "drain", rest = ""] of lines) {
    commands[command]?.parse(rest.trim().split(/\s+/).filter(Boolean));
  }
});
