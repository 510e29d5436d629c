/** Group and filter of `$share/group/filter`; a plain filter has no group. */
export interface ParsedFilter {
  readonly group: string | undefined;
  readonly levels: readonly string[];
  /** Without the group. */
  readonly filter: string;
  readonly wildcard: boolean;
}

const share = "$share/";

/** Reads a topic filter; `undefined` where it is none. */
export function parseFilter(text: string, maxLevels: number): ParsedFilter | undefined {
  let group: string | undefined;
  let filter = text;
  if (text.startsWith(share)) {
    const end = text.indexOf("/", share.length);
    if (end < 0) return undefined;
    group = text.slice(share.length, end);
    filter = text.slice(end + 1);
    if (group === "" || /[+#]/.test(group)) return undefined;
  }
  if (filter === "" || filter.includes("\0")) return undefined;
  const levels = filter.split("/");
  if (levels.length > maxLevels) return undefined;
  let wildcard = false;
  for (const [index, level] of levels.entries()) {
    if (level === "+") wildcard = true;
    else if (level === "#" && index === levels.length - 1) wildcard = true;
    else if (/[+#]/.test(level)) return undefined;
  }
  return { group, filter, levels, wildcard };
}

/** Says why nothing can be published to a topic, or `undefined` where it can. */
export function topicFault(topic: string, maxLevels: number): string | undefined {
  if (topic === "") return "it is empty";
  if (/[+#]/.test(topic)) return "+ and # are for subscriptions";
  if (topic.includes("\0")) return "it contains U+0000";
  if (topic.split("/").length > maxLevels) return `it has more than ${maxLevels} levels`;
  return undefined;
}
