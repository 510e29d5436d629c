import type { Session } from "./session.ts";
import type { SharedGroup } from "./shared-group.ts";
import type { Qos } from "./types.ts";

/** A subscription as the client asked for it, granted. */
export interface Subscription {
  readonly session: Session;
  /** As the client gave it. */
  readonly filter: string;
  readonly group: string | undefined;
  readonly qos: Qos;
  readonly noLocal: boolean;
  readonly retainAsPublished: boolean;
  readonly identifier: number | undefined;
}

/** Those who subscribe to one filter. */
export class Subscribers {
  readonly plain: Map<Session, Subscription> = new Map();
  readonly groups: Map<string, SharedGroup> = new Map();

  get empty(): boolean {
    return this.plain.size === 0 && this.groups.size === 0;
  }

  add(subscription: Subscription, makeGroup: () => SharedGroup): void {
    const { session, group: name } = subscription;
    if (name === undefined) {
      this.plain.set(session, subscription);
      return;
    }
    let group = this.groups.get(name);
    if (group === undefined) {
      group = makeGroup();
      this.groups.set(name, group);
    }
    group.join(subscription);
  }

  remove({ session, group: name }: Subscription): void {
    if (name === undefined) {
      this.plain.delete(session);
      return;
    }
    const group = this.groups.get(name);
    group?.leave(session);
    if (group?.empty) this.groups.delete(name);
  }
}
