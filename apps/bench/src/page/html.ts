/** Text that is HTML already. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Markup | string | number | readonly Content[];

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A template whose values are escaped, unless they are markup themselves. Lists are joined. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Markup {
  let text = strings[0] ?? "";
  values.forEach((value, i) => {
    text += toText(value) + (strings[i + 1] ?? "");
  });
  return new Markup(text);
}

function toText(content: Content): string {
  if (content instanceof Markup) return content.text;
  if (typeof content === "object") return content.map(toText).join("");
  return String(content).replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
