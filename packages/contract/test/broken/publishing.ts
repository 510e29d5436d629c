import type { OutgoingMessage, Publisher } from "@lab/core";
import type { Broken } from "./broken.ts";

function publisher(
  inner: Publisher,
  publish: (destination: string, messages: readonly OutgoingMessage[]) => Promise<void>,
): Publisher {
  return { capabilities: inner.capabilities, publish, close: () => inner.close() };
}

/** Faults in what is published. */
export const brokenPublishing: Broken[] = [
  {
    fault: "confirms what was refused",
    fails: "names every message when publishing fails",
    saying: /expected a PublishError/,
    alteration: {
      publisher: (inner) =>
        publisher(inner, (destination, messages) =>
          inner.publish(destination, messages).catch(() => {}),
        ),
    },
  },
  {
    fault: "fails the whole batch for one message",
    fails: "confirms the good messages around one that fails",
    saying: /expected a PublishError/,
    alteration: {
      publisher: (inner) =>
        publisher(inner, async (destination, messages) => {
          if (messages.some(({ body }) => body.length > 1_000_000)) throw new Error("too large");
          await inner.publish(destination, messages);
        }),
    },
  },
  {
    fault: "confirms before the broker has",
    fails: "loses no message that it confirms across a cut",
    saying: /missing/,
    alteration: {
      publisher: (inner) =>
        publisher(inner, async (destination, messages) => {
          let left = messages;
          // What the broker does not confirm is lost with the connection: the memory broker keeps it, so drop it here.
          if (messages.length > 3) left = messages.slice(0, -1);
          await inner.publish(destination, left).catch(() => {});
        }),
    },
  },
  {
    fault: "tries to connect once",
    fails: "publishes once the broker is there, though it was away at first",
    saying: /were not confirmed/,
    alteration: {
      publisher: (inner) => {
        let first: Promise<void> | undefined;
        return publisher(inner, async (destination, messages) => {
          first ??= inner.publish(destination, messages);
          await first;
        });
      },
    },
  },
  {
    fault: "publishes in reverse",
    fails: "confirms batches of none, one and many, in order",
    saying: /started before/,
    alteration: {
      publisher: (inner) =>
        publisher(inner, (destination, messages) =>
          inner.publish(destination, messages.toReversed()),
        ),
    },
  },
  {
    fault: "drops headers that it declares not to have",
    fails: "refuses headers where it carries none",
    saying: /expected a PublishError/,
    alteration: {
      capabilities: { headers: false },
      publisher: (inner) =>
        publisher(inner, (destination, messages) =>
          inner.publish(
            destination,
            messages.map(({ body }) => ({ body })),
          ),
        ),
    },
  },
  {
    fault: "loses headers that it declares to have",
    fails: "carries headers unchanged",
    saying: /header kind/,
    alteration: {
      publisher: (inner) =>
        publisher(inner, (destination, messages) =>
          inner.publish(
            destination,
            messages.map(({ body }) => ({ body })),
          ),
        ),
    },
  },
  {
    fault: "takes an empty key for none",
    fails: "carries keys unchanged",
    saying: /deep-equal/,
    alteration: {
      publisher: (inner) =>
        publisher(inner, (destination, messages) =>
          inner.publish(
            destination,
            messages.map(({ key, ...message }) => ({ ...message, ...(key && { key }) })),
          ),
        ),
    },
  },
];
