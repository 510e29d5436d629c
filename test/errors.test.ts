import { readFileSync } from "node:fs";
import { errorCodes } from "@lab/core";
import { expect, test } from "vitest";
import { sources } from "./sources.ts";

const page = readFileSync(new URL("../docs/errors.md", import.meta.url), "utf8");
const documented = [...page.matchAll(/^\|\s*`([A-Z_]+)`\s*\|/gm)].map((match) => match[1]);

test("docs/errors.md lists every code, in the order of the code, and no other", () => {
  expect(documented).toEqual([...errorCodes]);
});

test("every code is used somewhere", () => {
  const code = sources().filter(({ path }) => !path.endsWith("core/src/errors.ts"));
  const unused = errorCodes.filter(
    (name) => name !== "PUBLISH_FAILED" && !code.some(({ text }) => text.includes(`"${name}"`)),
  );
  expect(unused).toEqual([]);
});
