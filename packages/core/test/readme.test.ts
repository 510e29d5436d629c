import { readFileSync } from "node:fs";
import { consume } from "@lab/core";
import { expect, test } from "vitest";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

/** The names that `options` may have, as the refusal of another one lists them. */
async function known(options: object): Promise<string[]> {
  const refusal: unknown = await consume(options as never).catch((error) => error);
  const [, names = ""] = /Known: (.*)\.$/.exec((refusal as Error).message) ?? [];
  return names.split(", ");
}

test("the README lists every option of consume, and no other", async () => {
  const listed = [...readme.matchAll(/^\| `(\w+)` +\|/gm)].map(([, name]) => name);
  expect(listed.sort()).toEqual((await known({ none: true })).sort());
});
