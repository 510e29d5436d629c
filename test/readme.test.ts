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

/** The blocks that follow `<!-- snippet: path/from/the/root -->`: lines of that file, in one piece. */
function snippets(page: string): { file: string; code: string }[] {
  const marked = /<!-- snippet: (\S+) -->\s*```\w+\n([\s\S]*?)\n```$/gm;
  return [...read(page).matchAll(marked)].map(([, file = "", code = ""]) => ({ file, code }));
}

describe.each(pages)("%s", (page) => {
  test("links to files that exist", () => {
    const links = [...read(page).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(
      (match) => match[1] as string,
    );
    const local = links.filter((link) => !/^(https?|mailto):/.test(link));
    expect(local.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([]);
  });

  test("shows as a snippet only what its file says", () => {
    for (const { file, code } of snippets(page)) expect(read(file)).toContain(code);
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
  expect(snippets("README.md").map(({ code }) => `${code}\n`)).toEqual(
    blocks(read("README.md"), "ts"),
  );
});

test("the adapter guide shows every file of its example, whole", () => {
  const shown = snippets("docs/guides/write-an-adapter.md");
  for (const { file, code } of shown) expect(`${code}\n`).toBe(read(file));
  const files = ["src", "test"].flatMap((folder) =>
    readdirSync(join(root, "examples/adapter", folder)).map((file) => `${folder}/${file}`),
  );
  expect(shown.map(({ file }) => file).sort()).toEqual(
    ["package.json", "tsconfig.json", ...files].map((file) => `examples/adapter/${file}`).sort(),
  );
});
