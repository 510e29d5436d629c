import { between, delivery, sink } from "../support/altered.ts";
import type { Broken } from "./broken.ts";

/** Faults in what is delivered, and when. */
export const brokenDeliveries: Broken[] = [
  {
    fault: "exceeds the window",
    fails: "never exceeds the window, and flows on when it frees",
    saying: /deliveries with 0 settled/,
    alteration: {
      subscriber: () => (inner) => ({
        capabilities: inner.capabilities,
        subscribe: (source, options, to) =>
          inner.subscribe(source, { ...options, window: options.window * 2 }, to),
      }),
    },
  },
  {
    fault: "counts what is settled as unsettled, so that the flow ends with the window",
    fails: "never exceeds the window, and flows on when it frees",
    saying: /Waited .* for 6 deliveries with 1 of them settled/,
    alteration: {
      subscriber: () => (inner) =>
        between(inner, (to, window) => {
          let handedOut = 0;
          return sink(to, {
            deliver: (arrived) => {
              if (handedOut++ < window) to.deliver(arrived);
            },
          });
        }),
    },
  },
  {
    fault: "reorders",
    fails: "keeps key order under random delays with keyed dispatch",
    saying: /started before/,
    alteration: {
      subscriber: () => (inner) =>
        between(inner, (to) => {
          let count = 0;
          let held: Parameters<typeof to.deliver>[0] | undefined;
          return sink(to, {
            // Of the last 100 messages one is kept back until 30 others have overtaken it.
            deliver: (arrived) => {
              if (++count === 200) held = arrived;
              else to.deliver(arrived);
              if (count === 230 && held !== undefined) to.deliver(held);
            },
          });
        }),
    },
  },
  {
    fault: "delivers twice without a redelivery",
    fails: "delivers a backlog whole",
    saying: /was handled again/,
    alteration: {
      subscriber: () => (inner) =>
        between(inner, (to, window) => {
          let count = 0;
          return sink(to, {
            deliver: (arrived) => {
              to.deliver(arrived);
              if (++count % 50 === 0 && window > 1) to.deliver(delivery(arrived, {}));
            },
          });
        }),
    },
  },
  {
    fault: "marks first arrivals as redelivered",
    fails: "delivers a backlog whole",
    saying: /marked as redelivered/,
    alteration: {
      subscriber: () => (inner) =>
        between(inner, (to) =>
          sink(to, { deliver: (arrived) => to.deliver(delivery(arrived, { redelivered: true })) }),
        ),
    },
  },
  {
    fault: "forgets that a message came before",
    fails: "marks what comes again as redelivered",
    saying: /the arrival after a close/,
    alteration: {
      subscriber: () => (inner) =>
        between(inner, (to) =>
          sink(to, { deliver: (arrived) => to.deliver(delivery(arrived, { redelivered: false })) }),
        ),
    },
  },
  {
    fault: "reads bodies as text",
    fails: "carries empty, binary and non-ASCII bodies unchanged",
    saying: /body 2 changed/,
    alteration: {
      subscriber: () => (inner) =>
        between(inner, (to) =>
          sink(to, {
            deliver: (arrived) => {
              const body = Buffer.from(Buffer.from(arrived.message.body).toString("utf8"));
              to.deliver(delivery(arrived, { message: { ...arrived.message, body } }));
            },
          }),
        ),
    },
  },
  {
    fault: "reads every body into one buffer",
    fails: "carries empty, binary and non-ASCII bodies unchanged",
    saying: /body \d changed/,
    alteration: {
      subscriber: () => (inner) =>
        between(inner, (to) => {
          const shared = Buffer.alloc(2 ** 20);
          return sink(to, {
            deliver: (arrived) => {
              const length = Buffer.from(arrived.message.body).copy(shared);
              const message = { ...arrived.message, body: shared.subarray(0, length) };
              to.deliver(delivery(arrived, { message }));
            },
          });
        }),
    },
  },
  {
    fault: "counts deliveries from zero",
    fails: "counts deliveries where the broker does",
    saying: /first arrival/,
    alteration: {
      subscriber: () => (inner) =>
        between(inner, (to) =>
          sink(to, {
            deliver: (arrived) =>
              to.deliver(delivery(arrived, { deliveryCount: Number(arrived.deliveryCount) - 1 })),
          }),
        ),
    },
  },
  {
    fault: "gives a delivery count that it declares not to have",
    fails: "gives no delivery count where the broker has none",
    saying: /deep-equal/,
    alteration: { capabilities: { deliveryCount: false } },
  },
];
