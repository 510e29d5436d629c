import type { Delivery, Message, Outcome, Session, Sink, Subscriber } from "@lab/core";
import { AdapterSession } from "@lab/core/adapter";
import { between, sink, subscription } from "./altered.ts";

export interface ResumingOptions {
  /** What comes again while it is in hand is recognised. @default true */
  readonly recognises?: boolean;
  /** What is settled without a connection is settled when it comes again. @default true */
  readonly remembers?: boolean;
}

/** One message in hand, over all the connections that brought it. */
interface Held {
  arrived: Delivery;
  outcome: Outcome | undefined;
}

/**
 * Makes the memory adapter one whose session outlives its connections, as MQTT's does. The broker of the memory rig
 * hands out one object per message, however often: that is how a message in hand is recognised.
 */
export function resuming(inner: Subscriber, options: ResumingOptions = {}): Subscriber {
  const { recognises = true, remembers = true } = options;
  let session = new AdapterSession();
  let outer: Sink | undefined;
  const held = new Map<Message, Held>();
  return between(
    inner,
    (to) => {
      session = new AdapterSession();
      outer = to;
      held.clear();
      return sink(to, {
        sessionEnded: () => {},
        deliver: (arrived) => {
          const { message } = arrived;
          const known = recognises ? held.get(message) : undefined;
          if (known === undefined) {
            const entry: Held = { arrived, outcome: undefined };
            held.set(message, entry);
            to.deliver(resumedDelivery(entry, session, () => held.delete(message)));
            return;
          }
          known.arrived = arrived;
          if (known.outcome === undefined) return;
          held.delete(message);
          if (remembers) arrived.settle(known.outcome);
        },
      });
    },
    (open) =>
      subscription(open, {
        close: async () => {
          await open.close();
          if (session.ended) return;
          session.end(new Error("closed"));
          outer?.sessionEnded(session);
        },
      }),
  );
}

function resumedDelivery(entry: Held, session: Session, done: () => void): Delivery {
  const { message, redelivered, deliveryCount } = entry.arrived;
  return {
    message,
    redelivered,
    deliveryCount,
    session,
    settle: (outcome) => {
      if (entry.outcome !== undefined) return "repeated";
      if (session.ended) {
        entry.outcome = outcome;
        return "stale";
      }
      // Throws where the outcome is not supported; without a connection it is kept until the message comes again.
      if (entry.arrived.settle(outcome) === "settled") done();
      entry.outcome = outcome;
      return "settled";
    },
  };
}
