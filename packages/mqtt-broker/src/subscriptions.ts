import type { ParsedFilter } from "./filters.ts";
import { Route } from "./routes.ts";
import type { SharedGroup } from "./shared-group.ts";
import { Subscribers, type Subscription } from "./subscribers.ts";
import type { Topic, Topics } from "./topics.ts";

class Node {
  children: Map<string, Node> | undefined = undefined;
  subscribers: Subscribers | undefined = undefined;

  get empty(): boolean {
    return this.children === undefined && this.subscribers === undefined;
  }
}

/** Finds who subscribes to a topic: filters without wildcards by the topic itself, the others in a tree of levels. */
export class Subscriptions {
  readonly #topics: Topics;
  readonly #makeGroup: (filter: string) => SharedGroup;
  readonly #root = new Node();
  /** Routes of earlier generations are stale. */
  #generation = 0;
  #size = 0;

  constructor(topics: Topics, makeGroup: (filter: string) => SharedGroup) {
    this.#topics = topics;
    this.#makeGroup = makeGroup;
  }

  get size(): number {
    return this.#size;
  }

  /** `replaces` = the session had one with this filter. */
  add(subscription: Subscription, parsed: ParsedFilter, replaces: boolean): void {
    const makeGroup = (): SharedGroup => this.#makeGroup(subscription.filter);
    if (!replaces) this.#size++;
    if (parsed.wildcard) {
      const node = this.#nodeOf(parsed.levels);
      node.subscribers ??= new Subscribers();
      node.subscribers.add(subscription, makeGroup);
      this.#generation++;
    } else {
      const topic = this.#topics.of(parsed.filter);
      topic.subscribers ??= new Subscribers();
      topic.subscribers.add(subscription, makeGroup);
      topic.route = undefined;
    }
  }

  remove(subscription: Subscription, parsed: ParsedFilter): void {
    this.#size--;
    if (parsed.wildcard) {
      this.#removeFrom(this.#root, subscription, parsed.levels, 0);
      this.#generation++;
    } else {
      const topic = this.#topics.of(parsed.filter);
      topic.subscribers?.remove(subscription);
      if (topic.subscribers?.empty) topic.subscribers = undefined;
      topic.route = undefined;
    }
  }

  routeOf(topic: Topic): Route {
    if (topic.route === undefined || topic.generation !== this.#generation) {
      const matching: Subscribers[] = topic.subscribers === undefined ? [] : [topic.subscribers];
      if (!this.#root.empty) collect(this.#root, topic.name.split("/"), 0, matching);
      topic.route = new Route(matching);
      topic.generation = this.#generation;
    }
    return topic.route;
  }

  #nodeOf(levels: readonly string[]): Node {
    let node = this.#root;
    for (const level of levels) {
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

  #removeFrom(
    node: Node,
    subscription: Subscription,
    levels: readonly string[],
    depth: number,
  ): void {
    const level = levels[depth];
    if (level === undefined) {
      node.subscribers?.remove(subscription);
      if (node.subscribers?.empty) node.subscribers = undefined;
      return;
    }
    const child = node.children?.get(level);
    if (child === undefined) return;
    this.#removeFrom(child, subscription, levels, depth + 1);
    if (child.empty) node.children?.delete(level);
    if (node.children?.size === 0) node.children = undefined;
  }
}

function collect(node: Node, levels: readonly string[], depth: number, into: Subscribers[]): void {
  const { children, subscribers } = node;
  const level = levels[depth];
  // Wildcards do not reach topics that begin with $.
  const reserved = depth === 0 && levels[0]?.startsWith("$") === true;
  if (level === undefined && subscribers !== undefined) into.push(subscribers);
  if (children === undefined) return;
  const all = reserved ? undefined : children.get("#")?.subscribers;
  if (all !== undefined) into.push(all);
  if (level === undefined) return;
  const same = children.get(level);
  if (same !== undefined) collect(same, levels, depth + 1, into);
  const any = reserved ? undefined : children.get("+");
  if (any !== undefined) collect(any, levels, depth + 1, into);
}
