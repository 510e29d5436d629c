import type { Delivery, Message, Session } from "@lab/core";
import { between, delivery, sink } from "../support/altered.ts";
import { resuming } from "../support/resuming.ts";
import type { Broken } from "./broken.ts";

const CUT = "loses nothing when the connection is cut with work in hand";
const LATE = "does not settle on the session after a cut what was delivered before it";

/** A session that nothing ends. */
const endless: Session = { ended: false, signal: new AbortController().signal };

/** Faults in what a lost connection does. */
export const brokenSessions: Broken[] = [
  {
    fault: "loses on a cut what is in hand",
    fails: CUT,
    saying: /deliveries in hand to come again|every message to be done with/,
    alteration: {
      subscriber: () => {
        const inHand = new Set<Message>();
        const lost = new Set<Message>();
        return (inner) =>
          between(inner, (to) =>
            sink(to, {
              deliver: (arrived) => {
                const { message } = arrived;
                if (lost.has(message)) {
                  arrived.settle("ack");
                  return;
                }
                inHand.add(message);
                const settle: Delivery["settle"] = (outcome) => {
                  inHand.delete(message);
                  return arrived.settle(outcome);
                };
                to.deliver(delivery(arrived, { settle }));
              },
              sessionEnded: (session) => {
                for (const message of inHand) lost.add(message);
                to.sessionEnded(session);
              },
            }),
          );
      },
    },
  },
  {
    fault: "never ends a session",
    fails: CUT,
    saying: /signal of each handler in hand to abort/,
    alteration: {
      subscriber: () => (inner) =>
        between(inner, (to) =>
          sink(to, {
            deliver: (arrived) => to.deliver(delivery(arrived, { session: endless })),
            sessionEnded: () => {},
          }),
        ),
    },
  },
  {
    fault: "settles on the new session what the old one delivered",
    fails: LATE,
    saying: /stale/,
    alteration: {
      subscriber: () => {
        const latest = new Map<Message, Delivery>();
        return (inner) =>
          between(inner, (to) =>
            sink(to, {
              deliver: (arrived) => {
                latest.set(arrived.message, arrived);
                const settle: Delivery["settle"] = (outcome) =>
                  (latest.get(arrived.message) ?? arrived).settle(outcome);
                to.deliver(delivery(arrived, { settle }));
              },
            }),
          );
      },
    },
  },
  {
    fault: "does not tell the end of a session",
    fails: LATE,
    saying: /0 ended sessions/,
    alteration: {
      subscriber: () => (inner) => between(inner, (to) => sink(to, { sessionEnded: () => {} })),
    },
  },
  {
    fault: "tells the end of a session after the first delivery of the next one",
    fails: CUT,
    saying: /before the end of the earlier session was told|told/,
    alteration: {
      subscriber: () => (inner) =>
        between(inner, (to) => {
          let late: Session | undefined;
          return sink(to, {
            sessionEnded: (session) => {
              late = session;
            },
            deliver: (arrived) => {
              to.deliver(arrived);
              if (late !== undefined) to.sessionEnded(late);
              late = undefined;
            },
          });
        }),
    },
  },
  {
    fault: "does not tell that the connection was lost",
    fails: CUT,
    saying: /loss of the connection was not told/,
    alteration: {
      subscriber: () => (inner) =>
        between(inner, (to) =>
          sink(to, {
            connection: (state, cause) => {
              if (state !== "reconnecting") to.connection(state, cause);
            },
          }),
        ),
    },
  },
  {
    fault: "goes silent when its source is deleted",
    fails: "tells that its source was deleted",
    saying: /consumer to fail, or to tell/,
    alteration: {
      subscriber: () => (inner) => between(inner, (to) => sink(to, { failed: () => {} })),
    },
  },
  {
    fault: "drops its connection when a handler takes longer than the keep-alive",
    fails: "outlasts the keep-alive with a long handler and a full window",
    saying: /duplicates|stale settles|connection was lost/,
    alteration: { capabilities: { keepAliveMs: 40 }, ...slowHandlersEndSession(40) },
  },
  {
    fault: "hands out again what its resumed session has in hand",
    fails: "settles work in hand after a cut, without a duplicate",
    saying: /was handled again/,
    alteration: {
      capabilities: { resumes: true },
      subscriber: () => (inner) => resuming(inner, { recognises: false }),
    },
  },
  {
    fault: "forgets what is settled while its resumed session has no connection",
    fails: "settles work in hand after a cut, without a duplicate",
    saying: /still held messages/,
    alteration: {
      capabilities: { resumes: true },
      subscriber: () => (inner) => resuming(inner, { remembers: false }),
    },
  },
];

/** Nacks and forgets what takes longer than `ms`, as a broker does with a client that it takes for dead. */
function slowHandlersEndSession(ms: number): Broken["alteration"] {
  return {
    subscriber: () => (inner) =>
      between(inner, (to) =>
        sink(to, {
          deliver: (arrived) => {
            const timer = setTimeout(() => arrived.settle("nack"), ms);
            const settle: Delivery["settle"] = (outcome) => {
              clearTimeout(timer);
              return arrived.settle(outcome);
            };
            to.deliver(delivery(arrived, { settle }));
          },
        }),
      ),
  };
}
