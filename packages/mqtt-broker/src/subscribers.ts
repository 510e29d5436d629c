import type { Session } from "./session.ts";
import type { SharedGroup } from "./shared-group.ts";
import type { Qos } from "./types.ts";

/** What a session gets of a message: of one subscription, or of several that match. */
export interface Grant {
  readonly qos: Qos;
  readonly retainAsPublished: boolean;
  /** Subscription identifiers; `undefined` = none. */
  readonly identifiers: readonly number[] | undefined;
}

/** A subscription as the client asked for it, granted. */
export interface Subscription extends Grant {
  readonly session: Session;
  /** As the client gave it. */
  readonly filter: string;
  readonly group: string | undefined;
  readonly noLocal: boolean;
}

/** Those who subscribe to one filter. There are many filters, with one subscriber each: maps are made when needed. */
export class Subscribers {
  #one: Subscription | undefined = undefined;
  #several: Map<Session, Subscription> | undefined = undefined;
  #groups: Map<string, SharedGroup> | undefined = undefined;

  get empty(): boolean {
    return this.#one === undefined && this.#several === undefined && this.#groups === undefined;
  }

  /** The subscriptions that are not shared. */
  get plain(): Iterable<Subscription> {
    return this.#several?.values() ?? (this.#one === undefined ? [] : [this.#one]);
  }

  get groups(): Iterable<SharedGroup> {
    return this.#groups?.values() ?? [];
  }

  add(subscription: Subscription, makeGroup: () => SharedGroup): void {
    const { session, group: name } = subscription;
    if (name !== undefined) {
      this.#groups ??= new Map();
      let group = this.#groups.get(name);
      if (group === undefined) {
        group = makeGroup();
        this.#groups.set(name, group);
      }
      group.join(subscription);
    } else if (this.#several !== undefined) {
      this.#several.set(session, subscription);
    } else if (this.#one === undefined || this.#one.session === session) {
      this.#one = subscription;
    } else {
      this.#several = new Map([this.#one, subscription].map((each) => [each.session, each]));
      this.#one = undefined;
    }
  }

  remove({ session, group: name }: Subscription): void {
    if (name !== undefined) {
      const group = this.#groups?.get(name);
      group?.leave(session);
      if (group?.empty) this.#groups?.delete(name);
      if (this.#groups?.size === 0) this.#groups = undefined;
    } else if (this.#several !== undefined) {
      this.#several.delete(session);
      if (this.#several.size === 0) this.#several = undefined;
    } else {
      this.#one = undefined;
    }
  }
}
