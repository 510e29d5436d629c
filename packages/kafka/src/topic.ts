import { invalidOption } from "@lab/core/adapter";

/** Says why a topic cannot have this name, or `undefined` where it can. */
export function topicFault(topic: string): string | undefined {
  if (typeof topic !== "string" || topic === "") return "it is empty";
  if (topic.length > 249) return "it has more than 249 characters";
  if (topic === "." || topic === "..") return "it stands for a folder";
  if (!/^[a-zA-Z0-9._-]+$/.test(topic))
    return "it has other characters than a-z, A-Z, 0-9, . _ and -";
  return undefined;
}

/** @throws {LabError} `INVALID_OPTION` */
export function requireTopic(name: string, topic: string): void {
  const fault = topicFault(topic);
  if (fault !== undefined)
    throw invalidOption(name, topic, "the name of a topic", `Not that: ${fault}.`);
}
