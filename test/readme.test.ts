import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "./sources.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");

const pages = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
  (path) => path.endsWith(".md") && !/(^|\/)(node_modules|dist|reports|\.changeset)\//.test(path),
);

const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
    (match) => match[1] as string,
  );

describe.each(pages)("%s", (page) => {
  test("links to files that exist", () => {
    const links = [...read(page).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(
      (match) => match[1] as string,
    );
    const local = links.filter((link) => !/^(https?|mailto):/.test(link));
    expect(local.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([]);
  });

  test("has a marked snippet only where an example has the same lines", () => {
    const marked = [...read(page).matchAll(/<!-- snippet: (\S+) -->\s*```ts\n([\s\S]*?)^```/gm)];
    for (const [, file, code] of marked) {
      expect(read(`examples/src/${file}`)).toContain((code as string).trim());
    }
  });
});

test("the README's set-up commands are what CI runs", () => {
  const commands = blocks(read("README.md"), "sh")
    .flatMap((block) => block.split("\n"))
    .map((line) => line.replace(/#.*/, "").trim())
    .filter((line) => line !== "" && !line.startsWith("npm install @lab"))
    .flatMap((line) => line.split(" && "));
  const ci = read(".ci/run");
  expect(commands.length).toBeGreaterThan(2);
  expect(commands.filter((command) => !ci.includes(command))).toEqual([]);
});

test("every snippet of the README is an example", () => {
  const text = read("README.md");
  expect(blocks(text, "ts")).toHaveLength([...text.matchAll(/<!-- snippet: /g)].length);
});
