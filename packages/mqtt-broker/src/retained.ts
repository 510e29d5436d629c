import type { ParsedFilter } from "./filters.ts";
import type { Message } from "./message.ts";
import { RetainedMessage } from "./retained-message.ts";
import type { Topic, Topics } from "./topics.ts";

class Node {
  children: Map<string, Node> | undefined = undefined;
  topic: Topic | undefined = undefined;
}

/** In ms. */
const sweepPeriod = 1_000;

export interface RetainedLimits {
  readonly maxRetainedMessages: number;
  readonly maxRetainedBytes: number;
}

/** The retained messages: each at its topic, and a tree of these topics to find those that a wildcard means. */
export class Retained {
  readonly #topics: Topics;
  readonly #limits: RetainedLimits;
  readonly #root = new Node();
  #size = 0;
  #bytes = 0;
  #sweptAt = 0;

  constructor(topics: Topics, limits: RetainedLimits) {
    this.#topics = topics;
    this.#limits = limits;
  }

  get size(): number {
    return this.#size;
  }

  /** Replaces or, where the payload is empty, removes the message of a topic. False where that would be too many. */
  keep(message: Message): boolean {
    const { topic } = message;
    if (message.payload.length === 0) {
      this.#remove(topic);
      return true;
    }
    if (!this.#fits(message)) {
      this.#sweep();
      if (!this.#fits(message)) return false;
    }
    if (topic.retained === undefined) {
      this.#size++;
      this.#nodeOf(topic).topic = topic;
      topic.retained = new RetainedMessage();
    }
    this.#bytes += message.size - topic.retained.size;
    topic.retained.set(message);
    return true;
  }

  /** Those that a filter means. */
  *matching({ filter, levels, wildcard }: ParsedFilter): Iterable<Message> {
    const topics = wildcard ? matching(this.#root, levels, 0) : [this.#topics.find(filter)];
    for (const topic of topics) {
      if (topic?.retained?.expired === false) yield topic.retained.of(topic);
    }
  }

  #fits(message: Message): boolean {
    const before = message.topic.retained;
    const size = this.#size + (before === undefined ? 1 : 0);
    const bytes = this.#bytes - (before?.size ?? 0) + message.size;
    return size <= this.#limits.maxRetainedMessages && bytes <= this.#limits.maxRetainedBytes;
  }

  #nodeOf({ name }: Topic): Node {
    let node = this.#root;
    for (const level of name.split("/")) {
      node.children ??= new Map();
      let child = node.children.get(level);
      if (child === undefined) {
        child = new Node();
        node.children.set(level, child);
      }
      node = child;
    }
    return node;
  }

  #remove(topic: Topic): void {
    if (topic.retained === undefined) return;
    this.#size--;
    this.#bytes -= topic.retained.size;
    topic.retained = undefined;
    prune(this.#root, topic.name.split("/"), 0);
  }

  /** Looks at every message, so not for each that does not fit. */
  #sweep(): void {
    const now = Date.now();
    if (now - this.#sweptAt < sweepPeriod) return;
    this.#sweptAt = now;
    for (const topic of [...below(this.#root)]) if (topic.retained?.expired) this.#remove(topic);
  }
}

function prune(node: Node, levels: readonly string[], depth: number): void {
  const level = levels[depth];
  if (level === undefined) {
    node.topic = undefined;
    return;
  }
  const child = node.children?.get(level);
  if (child === undefined) return;
  prune(child, levels, depth + 1);
  if (child.topic === undefined && child.children === undefined) node.children?.delete(level);
  if (node.children?.size === 0) node.children = undefined;
}

function* matching(node: Node, levels: readonly string[], depth: number): Iterable<Topic> {
  const level = levels[depth];
  if (level === undefined) {
    if (node.topic !== undefined) yield node.topic;
  } else if (level === "#") {
    if (depth > 0) yield* below(node);
    else for (const child of open(node)) yield* below(child);
  } else if (level === "+") {
    const children = depth > 0 ? (node.children?.values() ?? []) : open(node);
    for (const child of children) yield* matching(child, levels, depth + 1);
  } else {
    const child = node.children?.get(level);
    if (child !== undefined) yield* matching(child, levels, depth + 1);
  }
}

/** The first levels that wildcards reach. */
function* open(node: Node): Iterable<Node> {
  for (const [level, child] of node.children ?? []) if (!level.startsWith("$")) yield child;
}

/** Every topic of a branch. */
function* below(node: Node): Iterable<Topic> {
  if (node.topic !== undefined) yield node.topic;
  for (const child of node.children?.values() ?? []) yield* below(child);
}
