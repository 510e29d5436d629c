/** What filters mean, in the plainest way. */
export function matches(filter: string, topic: string): boolean {
  if (topic.startsWith("$") && /^[+#]/.test(filter)) return false;
  const wanted = filter.split("/");
  const levels = topic.split("/");
  for (const [i, level] of wanted.entries()) {
    if (level === "#") return true;
    if (i >= levels.length || (level !== "+" && level !== levels[i])) return false;
  }
  return wanted.length === levels.length;
}
