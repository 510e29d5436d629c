import { html, Markup } from "./html.ts";
import { style } from "./style.ts";

/** A whole page in one file: it opens from disk, and asks the network for nothing. */
export function document(title: string, body: Markup): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${new Markup(style)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
  return page.text;
}
