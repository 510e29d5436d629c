import { decodeControl, encodeControl } from "./codec/control.ts";
import { type ParsedFilter, parseFilter } from "./filters.ts";
import type { Hub } from "./hub.ts";
import { protocolError, Reason } from "./reason.ts";
import type { Session } from "./session.ts";
import type { Subscription } from "./subscribers.ts";
import type { ClientInfo, Qos, SubscriptionInfo } from "./types.ts";

const failure = 0x80; // all that SUBACK of 3.1.1 can say

export interface SubscribeRequest {
  readonly packetId: number;
  readonly identifiers: readonly number[] | undefined;
  readonly filters: readonly {
    readonly topic: string;
    readonly qos: Qos;
    readonly nl?: boolean;
    readonly rap?: boolean;
    readonly rh?: number;
  }[];
}

/** @throws {PacketFault} */
export function readSubscribe(
  bytes: Buffer,
  start: number,
  end: number,
  version: 4 | 5,
): SubscribeRequest {
  const packet = decodeControl("subscribe", bytes, start, end, version);
  for (const { topic, nl } of packet.subscriptions) {
    if (nl === true && topic.startsWith("$share/")) {
      throw protocolError("A shared subscription has no local messages to leave out.");
    }
  }
  const identifier = packet.properties?.subscriptionIdentifier;
  return {
    packetId: packet.messageId ?? 0,
    identifiers: identifier === undefined ? undefined : [identifier],
    filters: packet.subscriptions,
  };
}

/** Asks the application for each filter; `undefined` = it allows everything. */
export function allowed(
  hub: Hub,
  client: ClientInfo,
  { filters }: SubscribeRequest,
): Promise<readonly boolean[]> | undefined {
  const { authorizeSubscribe } = hub.settings;
  if (authorizeSubscribe === undefined) return undefined;
  const ask = ({ topic, qos }: { topic: string; qos: Qos }) =>
    hub.ask("authorizeSubscribe", () => authorizeSubscribe(client, { filter: topic, qos }));
  return Promise.all(filters.map(ask));
}

/** Subscribes to what is allowed, writes SUBACK, and sends the retained messages behind it. */
export function grant(
  hub: Hub,
  session: Session,
  client: ClientInfo,
  request: SubscribeRequest,
  isAllowed: readonly boolean[] | undefined,
  write: (suback: Buffer) => void,
): void {
  const { packetId, identifiers, filters } = request;
  const version = client.protocolVersion;
  const granted: SubscriptionInfo[] = [];
  const retained: (() => void)[] = [];
  const codes = filters.map(({ topic: filter, qos, nl, rap, rh = 0 }, index) => {
    const parsed = parseFilter(filter, hub.settings.maxTopicLevels);
    const known = session.subscriptions.has(filter);
    const full = !known && session.subscriptions.size >= hub.settings.maxSubscriptions;
    if (parsed === undefined) return version === 5 ? Reason.topicFilterInvalid : failure;
    if (isAllowed?.[index] === false) return version === 5 ? Reason.notAuthorized : failure;
    if (full) return version === 5 ? Reason.quotaExceeded : failure;
    const subscription: Subscription = {
      session,
      filter,
      group: parsed.group,
      qos,
      noLocal: nl ?? false,
      retainAsPublished: rap ?? false,
      identifiers,
    };
    session.subscriptions.set(filter, subscription);
    hub.subscriptions.add(subscription, parsed, known);
    granted.push({ filter, qos });
    if (parsed.group === undefined && (rh === 0 || (rh === 1 && !known))) {
      retained.push(() => sendRetained(hub, subscription, parsed));
    }
    return qos;
  });
  write(encodeControl({ cmd: "suback", messageId: packetId, granted: codes }, version));
  for (const send of retained) send();
  session.pump(); // A shared subscription may have something waiting.
  if (granted.length > 0) hub.tell("subscribe", client, granted);
}

function sendRetained(hub: Hub, subscription: Subscription, parsed: ParsedFilter): void {
  const { session, identifiers } = subscription;
  for (const message of hub.retained.matching(parsed)) {
    const qos = Math.min(message.qos, subscription.qos) as Qos;
    session.outbox.deliver(message, qos, true, identifiers, undefined);
  }
}

/** Does what an UNSUBSCRIBE asks for; returns UNSUBACK. */
export function unsubscribe(
  hub: Hub,
  session: Session,
  client: ClientInfo,
  bytes: Buffer,
  start: number,
  end: number,
): Buffer {
  const version = client.protocolVersion;
  const packet = decodeControl("unsubscribe", bytes, start, end, version);
  const gone: string[] = [];
  const granted = packet.unsubscriptions.map((filter) => {
    const subscription = session.subscriptions.get(filter);
    if (subscription === undefined) return Reason.noSubscriptionExisted;
    hub.unsubscribe(subscription);
    gone.push(filter);
    return Reason.success;
  });
  if (gone.length > 0) hub.tell("unsubscribe", client, gone);
  return encodeControl({ cmd: "unsuback", messageId: packet.messageId ?? 0, granted }, version);
}
