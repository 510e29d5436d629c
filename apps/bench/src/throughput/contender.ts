import { consume, type Subscriber } from "@lab/core";

/** Handlers of `consume` running at once. */
export const lanes = 32;

/** Where the backlog is. */
export interface Site {
  /** The broker itself. */
  readonly url: string;
  /** Name of the source, as its rig was told. */
  readonly name: string;
  /** What it is subscribed by: queue, topic or topic filter. */
  readonly source: string;
}

/** A backlog to consume. */
export interface Work extends Site {
  /** Most messages unsettled at once, for all that can be told. */
  readonly window: number;
  /** To be called with the body of each message. Asynchronous, and does nothing but count. */
  readonly handler: (body: Uint8Array) => Promise<void>;
  /** Resolves when every message has been handled. */
  readonly finished: Promise<void>;
}

/** A way to consume a backlog. */
export interface Contender {
  readonly variant: string;
  /** The npm package that it is written with, and its version; null for our own. */
  readonly client: string | null;
  /** Resolves when all that was handled is acknowledged, and every connection is closed. */
  consume(work: Work): Promise<void>;
}

/** `consume()`, with the key that the broker carries. */
export function ours(variant: string, subscriberFor: (work: Work) => Subscriber): Contender {
  return {
    variant,
    client: null,
    async consume(work) {
      const { source, window, handler, finished } = work;
      const subscriber = subscriberFor(work);
      await using consumer = await consume({ subscriber, source, handler, lanes, window });
      await Promise.race([finished, consumer.closed]);
    },
  };
}
