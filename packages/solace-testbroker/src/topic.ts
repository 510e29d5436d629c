/**
 * Whether a topic subscription takes a topic: `*` at the end of a level stands for the rest of that level, `>` as the last
 * level for one level or more.
 */
export function matchesTopic(subscription: string, topic: string): boolean {
  const wanted = subscription.split("/");
  const levels = topic.split("/");
  for (const [index, level] of wanted.entries()) {
    if (level === ">" && index === wanted.length - 1) return levels.length > index;
    const got = levels[index];
    if (got === undefined) return false;
    const matches = level.endsWith("*") ? got.startsWith(level.slice(0, -1)) : got === level;
    if (!matches) return false;
  }
  return wanted.length === levels.length;
}
