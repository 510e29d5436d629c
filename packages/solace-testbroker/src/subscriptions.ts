import type { Connection } from "./connection.ts";
import type { Frame } from "./smf/frame.ts";
import { SubscriptionType } from "./smf/protocol.ts";
import { decodeSubscriptionControl, type SubscriptionControl } from "./smf/subscription-control.ts";

/** Subscriptions of queues. Those of clients themselves are for direct messages, which the double does not route. */
export function changeSubscription(connection: Connection, frame: Frame): void {
  const control = decodeSubscriptionControl(frame.body);
  const known = apply(connection, control);
  if (!control.replyWanted) return;
  if (known) connection.answer(frame, frame.body);
  else connection.answer(frame, frame.body, 503, "Unknown Queue");
}

function apply({ broker }: Connection, { type, queue, topic }: SubscriptionControl): boolean {
  if (type !== SubscriptionType.addToQueue && type !== SubscriptionType.removeFromQueue) {
    return true;
  }
  const endpoint = broker.endpoint("queue", queue);
  if (type === SubscriptionType.addToQueue) endpoint?.subscriptions.add(topic);
  else endpoint?.subscriptions.delete(topic);
  return endpoint !== undefined;
}
