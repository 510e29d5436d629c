import type { Delivery, Outcome, SettleResult } from "@lab/core";
import { between, delivery, sink, subscription } from "../support/altered.ts";
import { inOrder } from "../support/in-order.ts";
import type { Broken } from "./broken.ts";

/** An adapter that carries out another outcome than the one asked for. */
function instead(outcomeOf: (outcome: Outcome) => Outcome): Broken["alteration"] {
  return {
    subscriber: () => (inner) =>
      between(inner, (to) =>
        sink(to, {
          deliver: (arrived) =>
            to.deliver(
              delivery(arrived, { settle: (outcome) => arrived.settle(outcomeOf(outcome)) }),
            ),
        }),
      ),
  };
}

/** Faults in how deliveries are settled. */
export const brokenSettles: Broken[] = [
  {
    fault: "acknowledges on arrival",
    fails: "leaves to the broker what is not settled",
    saying: /10 unsettled messages to come again/,
    alteration: {
      subscriber: () => (inner) =>
        between(inner, (to) =>
          sink(to, {
            deliver: (arrived) => {
              to.deliver(arrived);
              arrived.settle("ack");
            },
          }),
        ),
    },
  },
  {
    fault: "keeps what is settled to itself until all before it is, and declares that it does not",
    fails: "sends what is settled before it closes",
    saying: /settled messages came again/,
    alteration: {
      subscriber: () => inOrder,
    },
  },
  {
    fault: "collects settles and forgets them when it closes",
    fails: "takes settles in any order",
    saying: /settled messages were still at the broker/,
    alteration: {
      subscriber: () => (inner) =>
        between(inner, (to) => {
          let collected: Delivery[] = [];
          return sink(to, {
            deliver: (arrived) => {
              const settle = (): SettleResult => {
                collected.push(arrived);
                if (collected.length < 8) return "settled";
                for (const one of collected) one.settle("ack");
                collected = [];
                return "settled";
              };
              to.deliver(delivery(arrived, { settle }));
            },
          });
        }),
    },
  },
  {
    fault: "settles a second time",
    fails: "settles a delivery once, and late ones not at all",
    saying: /second ack/,
    alteration: {
      subscriber: () => (inner) =>
        between(inner, (to) =>
          sink(to, {
            deliver: (arrived) => {
              const settle = (outcome: Outcome) => {
                const result = arrived.settle(outcome);
                return result === "repeated" ? "settled" : result;
              };
              to.deliver(delivery(arrived, { settle }));
            },
          }),
        ),
    },
  },
  {
    fault: "swallows a reject",
    fails: "does not deliver a rejected message again",
    saying: /key-0\/0/,
    alteration: instead((outcome) => (outcome === "reject" ? "nack" : outcome)),
  },
  {
    fault: "turns a nack into an ack",
    fails: "delivers a nacked message again",
    saying: /nacked message to come again/,
    alteration: instead((outcome) => (outcome === "nack" ? "ack" : outcome)),
  },
  {
    fault: "turns a nack that it declares not to have into an ack",
    fails: "refuses a nack and keeps the delivery open",
    saying: /Missing expected exception/,
    alteration: { ...instead(() => "ack"), capabilities: { nack: false } },
  },
  {
    fault: "refuses a reject after it has settled",
    fails: "refuses a reject and keeps the delivery open",
    saying: /Expected a LabError/,
    alteration: {
      capabilities: { reject: false },
      ...instead((outcome) => {
        if (outcome === "reject") throw new Error("not supported");
        return outcome;
      }),
    },
  },
  {
    fault: "closes with its sessions still open",
    fails: "settles a delivery once, and late ones not at all",
    saying: /stale|session/,
    alteration: {
      subscriber: () => (inner) =>
        between(
          inner,
          (to) => to,
          (open) => subscription(open, { close: () => open.stop() }),
        ),
    },
  },
];
