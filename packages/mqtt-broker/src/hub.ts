import type { EventEmitter } from "node:events";
import { toError } from "@lab/core/adapter";
import { Pressure } from "./backlog.ts";
import type { Client } from "./client.ts";
import { encodeProperties } from "./codec/publish-properties.ts";
import { Drops } from "./drops.ts";
import { parseFilter } from "./filters.ts";
import { Message, Received } from "./message.ts";
import type { Settings } from "./options.ts";
import { Reason } from "./reason.ts";
import { Retained } from "./retained.ts";
import type { Session, Will } from "./session.ts";
import { Sessions } from "./sessions.ts";
import { SharedGroup } from "./shared-group.ts";
import type { Subscription } from "./subscribers.ts";
import { Subscriptions } from "./subscriptions.ts";
import { Topics } from "./topics.ts";
import type {
  BrokerEvents,
  BrokerHooks,
  ClientInfo,
  DropReason,
  ReceivedMessage,
} from "./types.ts";
import { Output } from "./wire.ts";

/** What the connections share: the broker without its network. */
export class Hub {
  readonly settings: Settings;
  readonly events: EventEmitter<BrokerEvents>;
  readonly topics: Topics;
  readonly subscriptions: Subscriptions;
  readonly retained: Retained;
  readonly sessions: Sessions;
  readonly pressure: Pressure = new Pressure();
  readonly drops: Drops;
  readonly output: Output = new Output();
  readonly groups: Set<SharedGroup> = new Set();
  readonly clients: Set<Client> = new Set();
  received = 0;
  injected = 0;
  /** By clients that are gone. */
  sentBefore = 0;

  constructor(settings: Settings, events: EventEmitter<BrokerEvents>) {
    this.settings = settings;
    this.events = events;
    this.topics = new Topics(settings.maxTopicLevels);
    this.retained = new Retained(this.topics, settings);
    this.drops = new Drops((clientId, why) => this.tell("drop", clientId, why));
    this.subscriptions = new Subscriptions(this.topics, (filter) => this.#makeGroup(filter));
    this.sessions = new Sessions(settings, this.pressure, {
      ended: (session) => this.#ended(session),
      will: (will, session) => this.#publishWill(will, session),
      dropped: (clientId, reason) => this.dropped(clientId, reason),
    });
  }

  /** Retains and delivers. Returns the reason code of MQTT 5 for who published it. */
  publish(message: Message, from: Session | undefined): number {
    if (message.retain && !this.retained.keep(message)) return Reason.quotaExceeded;
    const route = this.subscriptions.routeOf(message.topic);
    if (route.empty) return Reason.noMatchingSubscribers;
    route.deliver(message, from);
    return Reason.success;
  }

  /** Whether a client may publish to a topic. */
  allows(client: ClientInfo, topic: string): boolean {
    const { authorizePublish } = this.settings;
    if (authorizePublish === undefined) return true;
    try {
      return authorizePublish(client, topic) === true;
    } catch (error) {
      this.tell("hookFailed", toError(error), "authorizePublish");
      return false;
    }
  }

  /** Asks a hook that may take its time. */
  async ask(
    hook: "authenticate" | "authorizeSubscribe",
    question: () => boolean | Promise<boolean>,
  ): Promise<boolean> {
    try {
      return (await question()) === true;
    } catch (error) {
      this.tell("hookFailed", toError(error), hook);
      return false;
    }
  }

  /**
   * Shows the application what a client has published. Resolves to 0 or to the reason to refuse it; `undefined` = there
   * is nothing to wait for.
   */
  show(
    onMessages: NonNullable<BrokerHooks["onMessages"]>,
    messages: readonly ReceivedMessage[],
    client: ClientInfo,
  ): Promise<number> | undefined {
    if (messages.length === 0) return undefined;
    const failed = (error: unknown): number => {
      this.tell("hookFailed", toError(error), "onMessages");
      return Reason.implementationSpecific;
    };
    try {
      const work = onMessages(messages, client);
      return work === undefined ? undefined : work.then(() => Reason.success, failed);
    } catch (error) {
      return Promise.resolve(failed(error));
    }
  }

  /** Emits an event. What a listener throws is its own fault, not that of a client or a message. */
  tell<Name extends keyof BrokerEvents>(name: Name, ...args: BrokerEvents[Name]): void {
    try {
      (this.events as EventEmitter).emit(name, ...args);
    } catch (error) {
      setImmediate(() => {
        throw error;
      });
    }
  }

  dropped(clientId: string, reason: DropReason): void {
    this.drops.count(clientId, reason);
  }

  /** Writes what this turn has brought. */
  flush(): void {
    this.output.flush();
  }

  unsubscribe(subscription: Subscription): void {
    const { session, filter } = subscription;
    const parsed = parseFilter(filter, this.settings.maxTopicLevels);
    session.subscriptions.delete(filter);
    if (parsed !== undefined) this.subscriptions.remove(subscription, parsed);
  }

  /** Forgets everything. */
  close(): void {
    this.drops.close();
    for (const session of [...this.sessions]) {
      session.will = undefined;
      this.sessions.end(session);
    }
  }

  #makeGroup(filter: string): SharedGroup {
    const group: SharedGroup = new SharedGroup(
      filter,
      this.settings,
      this.pressure,
      () => this.dropped(filter, "queue-full"),
      () => this.groups.delete(group),
    );
    this.groups.add(group);
    return group;
  }

  #ended(session: Session): void {
    const shared = session.outbox.end();
    for (const subscription of [...session.subscriptions.values()]) this.unsubscribe(subscription);
    for (const group of new Set(shared.map((delivery) => delivery.group))) {
      group?.restore(shared.filter((delivery) => delivery.group === group));
    }
    this.tell("sessionEnd", session.clientId);
  }

  #publishWill(will: Will, session: Session): void {
    const { topic, payload, qos, retain, properties } = will;
    const { messageExpiryInterval: expiry } = properties;
    const expiresAt = expiry === undefined ? Number.POSITIVE_INFINITY : Date.now() + expiry * 1_000;
    const encoded = encodeProperties(properties);
    const message = new Message(
      this.topics.of(topic),
      payload,
      qos,
      retain,
      encoded,
      expiresAt,
      true,
    );
    if (this.publish(message, session) === Reason.quotaExceeded) {
      this.dropped(session.clientId, "refused");
    }
    const { onMessages } = this.settings;
    if (onMessages && session.info)
      void this.show(onMessages, [new Received(message)], session.info);
    this.flush();
  }
}
