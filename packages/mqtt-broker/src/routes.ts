import type { Delivery } from "./backlog.ts";
import type { Message } from "./message.ts";
import type { Session } from "./session.ts";
import type { SharedGroup } from "./shared-group.ts";
import type { Subscribers, Subscription } from "./subscribers.ts";
import type { Qos } from "./types.ts";

/** What all matching subscriptions of one session come to: one delivery each message. */
interface Grant {
  readonly qos: Qos;
  readonly retainAsPublished: boolean;
  readonly identifiers: readonly number[] | undefined;
}

interface Target {
  readonly session: Session;
  readonly grant: Grant;
  /** For what the session's own client publishes; absent where it wants none of that. */
  readonly own: Grant | undefined;
}

/** Who gets the messages of a topic. */
export class Route {
  readonly #targets: readonly Target[];
  readonly #groups: readonly SharedGroup[];

  constructor(matching: readonly Subscribers[]) {
    const plain = new Map<Session, Subscription[]>();
    for (const { plain: subscriptions } of matching) {
      for (const [session, subscription] of subscriptions) {
        const others = plain.get(session);
        if (others === undefined) plain.set(session, [subscription]);
        else others.push(subscription);
      }
    }
    this.#targets = Array.from(plain, ([session, subscriptions]) =>
      targetOf(session, subscriptions),
    );
    this.#groups = matching.flatMap(({ groups }) => [...groups.values()]);
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
      if (granted !== undefined) session.outbox.deliver(deliveryOf(message, granted));
    }
    for (const group of this.#groups) group.deliver(message);
  }
}

function deliveryOf(message: Message, { qos, retainAsPublished, identifiers }: Grant): Delivery {
  return {
    message,
    qos: message.qos < qos ? message.qos : qos,
    retain: retainAsPublished && message.retain,
    identifiers,
    group: undefined,
  };
}

function targetOf(session: Session, subscriptions: readonly Subscription[]): Target {
  const grant = grantOf(subscriptions);
  if (!subscriptions.some(({ noLocal }) => noLocal)) return { session, grant, own: grant };
  const local = subscriptions.filter(({ noLocal }) => !noLocal);
  return { session, grant, own: local.length === 0 ? undefined : grantOf(local) };
}

function grantOf(subscriptions: readonly Subscription[]): Grant {
  const identifiers = subscriptions.flatMap(({ identifier }) => identifier ?? []);
  return {
    qos: Math.max(...subscriptions.map(({ qos }) => qos)) as Qos,
    retainAsPublished: subscriptions.some(({ retainAsPublished }) => retainAsPublished),
    identifiers: identifiers.length === 0 ? undefined : identifiers,
  };
}
