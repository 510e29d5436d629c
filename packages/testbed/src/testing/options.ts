/** Names and defaults of the options in the table of a README that follows "`title(options)`:". */
export function documentedOptions(readme: string, title: string): Record<string, string> {
  const [, rest = ""] = readme.split(`\`${title}(options)\`:\n`);
  const [table = ""] = rest.trimStart().split("\n\n");
  return Object.fromEntries(
    [...table.matchAll(/^\| `(\w+)` +\| (?:`(.*?)`)? +\|/gm)].map(([, name, value]) => [
      name,
      value ?? "",
    ]),
  );
}

/** Names and defaults (`@default`) of an interface in a source file, those that it extends before its own. */
export function declaredOptions(source: string, name: string): Record<string, string> {
  const found: Record<string, string> = {};
  const [, parent, body = ""] =
    new RegExp(`interface ${name} (?:extends (\\w+) )?{\\n([\\s\\S]*?)\\n}`).exec(source) ?? [];
  if (parent !== undefined) Object.assign(found, declaredOptions(source, parent));
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
