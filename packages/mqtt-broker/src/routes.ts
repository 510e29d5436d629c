import type { Message } from "./message.ts";
import type { Session } from "./session.ts";
import type { SharedGroup } from "./shared-group.ts";
import type { Grant, Subscribers, Subscription } from "./subscribers.ts";
import type { Qos } from "./types.ts";

interface Target {
  readonly session: Session;
  readonly grant: Grant;
  /** For what the session's own client publishes; absent where it wants none of that. */
  readonly own: Grant | undefined;
}

const none: readonly never[] = [];

/** Who gets the messages of a topic. */
export class Route {
  readonly #targets: readonly Target[];
  readonly #groups: readonly SharedGroup[];

  constructor(matching: readonly Subscribers[]) {
    const plain = new Map<Session, Subscription[]>();
    for (const subscription of matching.flatMap((subscribers) => [...subscribers.plain])) {
      const others = plain.get(subscription.session);
      if (others === undefined) plain.set(subscription.session, [subscription]);
      else others.push(subscription);
    }
    const targets = Array.from(plain, ([session, subscriptions]) =>
      targetOf(session, subscriptions),
    );
    const groups = matching.flatMap((subscribers) => [...subscribers.groups]);
    this.#targets = targets.length === 0 ? none : targets;
    this.#groups = groups.length === 0 ? none : groups;
  }

  get empty(): boolean {
    return this.#targets.length === 0 && this.#groups.length === 0;
  }

  /** Of those that get every message; shared subscriptions choose. */
  *clientIds(): Iterable<string> {
    for (const { session } of this.#targets) yield session.clientId;
  }

  /** `from` is the session of who published it; `undefined` = the application. */
  deliver(message: Message, from: Session | undefined): void {
    for (const { session, grant, own } of this.#targets) {
      const granted = session === from ? own : grant;
      if (granted === undefined) continue;
      const qos = Math.min(message.qos, granted.qos) as Qos;
      const retain = granted.retainAsPublished && message.retain;
      session.outbox.deliver(message, qos, retain, granted.identifiers, undefined);
    }
    for (const group of this.#groups) group.deliver(message);
  }
}

function targetOf(session: Session, subscriptions: readonly Subscription[]): Target {
  const grant = grantOf(subscriptions);
  const local = subscriptions.filter(({ noLocal }) => !noLocal);
  if (local.length === subscriptions.length) return { session, grant, own: grant };
  return { session, grant, own: local.length === 0 ? undefined : grantOf(local) };
}

function grantOf(subscriptions: readonly Subscription[]): Grant {
  const [first] = subscriptions;
  if (first !== undefined && subscriptions.length === 1) return first;
  const identifiers = subscriptions.flatMap((subscription) => subscription.identifiers ?? []);
  return {
    qos: Math.max(...subscriptions.map(({ qos }) => qos)) as Qos,
    retainAsPublished: subscriptions.some(({ retainAsPublished }) => retainAsPublished),
    identifiers: identifiers.length === 0 ? undefined : identifiers,
  };
}
