import { between, subscription } from "../support/altered.ts";
import type { Broken } from "./broken.ts";

/** Faults at the start and at the end of a subscription. */
export const brokenEndings: Broken[] = [
  {
    fault: "delivers after stop",
    fails: "settles after deliveries have stopped",
    saying: /deliveries after stop/,
    alteration: {
      subscriber: () => (inner) =>
        between(
          inner,
          (to) => to,
          (open) => subscription(open, { stop: async () => {} }),
        ),
    },
  },
  {
    fault: "keeps a timer alive after close",
    fails: "keeps nothing alive after close",
    saying: /Timeout opened .*endings\.ts/,
    alteration: {
      subscriber: () => (inner) =>
        between(
          inner,
          (to) => to,
          (open) => {
            // It ends by itself, so that this test does not do what it is about.
            setTimeout(() => {}, 5_000);
            return open;
          },
        ),
    },
  },
  {
    fault: "resolves subscribe for a missing source",
    fails: "fails fast when the source is missing",
    saying: /Missing expected rejection/,
    alteration: {
      subscriber: () => (inner) => ({
        capabilities: inner.capabilities,
        subscribe: (source, options, to) =>
          inner
            .subscribe(source, options, to)
            .catch(() => ({ stop: async () => {}, close: async () => {} })),
      }),
    },
  },
  {
    fault: "waits for a broker that is not there",
    fails: "fails fast when the broker cannot be reached",
    saying: /Waited .* for the refusal/,
    alteration: {
      subscriber: () => (inner) => ({
        capabilities: inner.capabilities,
        subscribe: (source, options, to) =>
          inner.subscribe(source, options, to).catch(() => new Promise(() => {})),
      }),
    },
  },
  {
    fault: "gives an error of its own for wrong credentials",
    fails: "fails fast when the credentials are wrong",
    saying: /Expected a LabError ACCESS_REFUSED/,
    alteration: {
      subscriber: () => (inner) => ({
        capabilities: inner.capabilities,
        subscribe: (source, options, to) =>
          inner.subscribe(source, options, to).catch((error: Error) => {
            throw new Error(error.message);
          }),
      }),
    },
  },
  {
    fault: "does not look at the signal while it subscribes",
    fails: "leaves nothing open when aborted during the start",
    saying: /abort came first/,
    alteration: {
      subscriber: () => (inner) => ({
        capabilities: inner.capabilities,
        subscribe: (source, { window }, to) => inner.subscribe(source, { window }, to),
      }),
    },
  },
  {
    fault: "throws what it likes when aborted before the start",
    fails: "does not start when aborted before",
    saying: /refused/,
    alteration: {
      subscriber: () => (inner) => ({
        capabilities: inner.capabilities,
        subscribe: async (source, options, to) => {
          if (options.signal?.aborted) throw new Error("refused");
          return inner.subscribe(source, options, to);
        },
      }),
    },
  },
  {
    fault: "serves one subscription only",
    fails: "subscribes any number of times with one subscriber",
    saying: /already subscribed/,
    alteration: {
      subscriber: () => (inner) => {
        let used = false;
        return {
          capabilities: inner.capabilities,
          subscribe: async (source, options, to) => {
            if (used) throw new Error("already subscribed");
            used = true;
            return inner.subscribe(source, options, to);
          },
        };
      },
    },
  },
  {
    fault: "is declared to partition by key, and does not, so that members overlap on a key",
    fails: "shares one source between two consumers",
    saying: /keys at both members/,
    alteration: { capabilities: { partitions: "key" } },
  },
  {
    fault: "has other capabilities than it is declared to have",
    fails: "declares what the adapter and the rig can do",
    saying: /the publisher's capabilities/,
    alteration: {
      publisher: (inner) => ({
        capabilities: { headers: true, keys: false },
        publish: (destination, messages) => inner.publish(destination, messages),
        close: () => inner.close(),
      }),
    },
  },
];
