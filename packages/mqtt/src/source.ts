import { invalidOption } from "@lab/core/adapter";

const longestText = 65_535;
const shared = "$share/";

/**
 * Checks a topic filter, or `$share/group/filter`.
 * @throws {LabError} `INVALID_OPTION`
 */
export function requireTopicFilter(source: string): void {
  const wrong = (todo: string): Error =>
    invalidOption("source", source, "a topic filter or $share/group/filter", todo);
  if (typeof source !== "string" || source === "") throw wrong("For example: orders/#.");
  if (Buffer.byteLength(source) > longestText) throw wrong("It may have 65535 bytes at most.");
  if (source.includes("\0")) throw wrong("It contains U+0000, which MQTT forbids.");
  let filter = source;
  if (isShared(source)) {
    const end = source.indexOf("/", shared.length);
    const group = source.slice(shared.length, end < 0 ? undefined : end);
    filter = end < 0 ? "" : source.slice(end + 1);
    if (group === "" || /[+#]/.test(group)) throw wrong("The group is a name without + and #.");
    if (filter === "") throw wrong("A topic filter has to follow the group.");
  }
  const levels = filter.split("/");
  for (const [index, level] of levels.entries()) {
    if (level.includes("#") && (level !== "#" || index !== levels.length - 1)) {
      throw wrong("# stands alone, as the last level.");
    }
    if (level.includes("+") && level !== "+") throw wrong("+ stands alone in its level.");
  }
}

/** Says why nothing can be published to a topic, or `undefined` where it can. A broker would cut the connection. */
export function topicFault(topic: string): string | undefined {
  if (typeof topic !== "string" || topic === "") return "it is empty";
  if (/[+#]/.test(topic)) return "+ and # are for subscriptions";
  if (topic.includes("\0")) return "it contains U+0000";
  if (Buffer.byteLength(topic) > longestText) return "it has more than 65535 bytes";
  return undefined;
}

export function isShared(source: string): boolean {
  return source.startsWith(shared);
}
