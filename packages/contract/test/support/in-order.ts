import type { Outcome, SettleResult, Subscriber } from "@lab/core";
import { between, delivery, sink } from "./altered.ts";

/** Makes the memory adapter one that tells its broker of a settle only when all before it are settled, as MQTT must. */
export function inOrder(inner: Subscriber): Subscriber {
  return between(inner, (to) => {
    let queue: { send: (outcome: Outcome) => void; outcome?: Outcome }[] = [];
    return sink(to, {
      sessionEnded: (session) => {
        queue = [];
        to.sessionEnded(session);
      },
      deliver: (arrived) => {
        const place: (typeof queue)[number] = { send: (outcome) => arrived.settle(outcome) };
        queue.push(place);
        const settle = (outcome: Outcome): SettleResult => {
          if (place.outcome !== undefined) return "repeated";
          place.outcome = outcome;
          if (arrived.session.ended) return "stale";
          for (let head = queue[0]; head?.outcome !== undefined; head = queue[0]) {
            queue.shift();
            head.send(head.outcome);
          }
          return "settled";
        };
        to.deliver(delivery(arrived, { settle }));
      },
    });
  });
}
