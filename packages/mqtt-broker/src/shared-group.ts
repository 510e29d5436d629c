import { Backlog, type BacklogLimits, type Pressure } from "./backlog.ts";
import type { Message } from "./message.ts";
import type { Session } from "./session.ts";
import type { Subscription } from "./subscribers.ts";
import type { Qos } from "./types.ts";

interface Waiting {
  readonly message: Message;
  readonly qos: Qos;
}

/**
 * A shared subscription. Its messages wait here, not at a member: each goes to the next member in turn that has room in
 * its window, so a slow member holds its window and no more, and one that is away holds nothing new.
 */
export class SharedGroup {
  /** As clients name it. */
  readonly filter: string;
  readonly #members: Subscription[] = [];
  readonly #queue: Backlog<Waiting>;
  readonly #dropped: () => void;
  readonly #deserted: () => void;
  #turn = 0;

  constructor(
    filter: string,
    limits: BacklogLimits,
    pressure: Pressure,
    dropped: () => void,
    deserted: () => void,
  ) {
    this.filter = filter;
    this.#dropped = dropped;
    this.#deserted = deserted;
    this.#queue = new Backlog(limits, pressure, () => {});
  }

  get empty(): boolean {
    return this.#members.length === 0;
  }

  get queued(): number {
    return this.#queue.size;
  }

  join(subscription: Subscription): void {
    const known = this.#members.findIndex(({ session }) => session === subscription.session);
    if (known >= 0) this.#members[known] = subscription;
    else this.#members.push(subscription);
    subscription.session.groups.add(this);
    this.changed();
  }

  leave(session: Session): void {
    const index = this.#members.findIndex((member) => member.session === session);
    if (index >= 0) this.#members.splice(index, 1);
    session.groups.delete(this);
    if (!this.empty) {
      this.changed();
      return;
    }
    this.#queue.clear();
    this.#deserted();
  }

  /** A member has come or gone. */
  changed(): void {
    this.#queue.live = this.#members.some(({ session }) => session.connected);
  }

  deliver(message: Message): void {
    if (this.#queue.size === 0) {
      const member = this.#next(message);
      if (member !== undefined) {
        this.#give(member, message);
        return;
      }
    }
    const waits = message.qos > 0 ? !this.#queue.full : this.#queue.live && !this.#queue.halfFull;
    if (waits) this.#queue.push({ message, qos: message.qos });
    else if (message.qos > 0 || this.#queue.live) this.#dropped();
  }

  /** A member has room. */
  pull(session: Session): void {
    const member = this.#members.find((candidate) => candidate.session === session);
    if (member === undefined) return;
    for (let next = this.#queue.peek(); next !== undefined; next = this.#queue.peek()) {
      if (!session.outbox.canSend(Math.min(next.qos, member.qos))) break;
      this.#queue.shift();
      if (!next.message.expired) this.#give(member, next.message);
    }
    if (!this.#queue.live && !this.#queue.halfFull) this.changed();
  }

  /** Takes back, before all others, what a member had when its session ended. */
  restore(messages: readonly Waiting[]): void {
    if (this.empty) return;
    this.#queue.unshift(messages);
    for (const { session } of [...this.#members]) session.pump();
  }

  #next(message: Message): Subscription | undefined {
    for (let tried = 0; tried < this.#members.length; tried++) {
      this.#turn = (this.#turn + 1) % this.#members.length;
      const member = this.#members[this.#turn] as Subscription;
      if (member.session.outbox.canSend(Math.min(message.qos, member.qos))) return member;
    }
    return undefined;
  }

  #give({ session, ...granted }: Subscription, message: Message): void {
    const qos = Math.min(message.qos, granted.qos) as Qos;
    const retain = granted.retainAsPublished && message.retain;
    session.outbox.deliver(message, qos, retain, granted.identifiers, this);
  }
}
