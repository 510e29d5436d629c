import type {
  Delivery,
  Outcome,
  OutgoingMessage,
  Publisher,
  SettleResult,
  Sink,
  Subscriber,
} from "../../src/index.ts";

/** What passes the port between an adapter and the engine. */
export interface Watch {
  delivered?(delivery: Delivery): void;
  /** A settle is about to reach the adapter. A throw is the adapter's failure. */
  settling?(delivery: Delivery, outcome: Outcome): void;
  settled?(delivery: Delivery, outcome: Outcome, result: SettleResult): void;
}

/** The same subscriber, watched at the port. Deliveries are the watched ones on both sides. */
export function watched(subscriber: Subscriber, watch: Watch): Subscriber {
  return {
    capabilities: subscriber.capabilities,
    subscribe: (source, options, sink) =>
      subscriber.subscribe(source, options, watchedSink(sink, watch)),
  };
}

function watchedSink(sink: Sink, watch: Watch): Sink {
  return {
    deliver(delivery) {
      const seen = new WatchedDelivery(delivery, watch);
      watch.delivered?.(seen);
      sink.deliver(seen);
    },
    sessionEnded: (session) => sink.sessionEnded(session),
    connection: (state, cause) => sink.connection(state, cause),
    failed: (error) => sink.failed(error),
  };
}

class WatchedDelivery implements Delivery {
  readonly #delivery: Delivery;
  readonly #watch: Watch;

  constructor(delivery: Delivery, watch: Watch) {
    this.#delivery = delivery;
    this.#watch = watch;
  }

  get message(): Delivery["message"] {
    return this.#delivery.message;
  }

  get redelivered(): boolean {
    return this.#delivery.redelivered;
  }

  get deliveryCount(): number | undefined {
    return this.#delivery.deliveryCount;
  }

  get session(): Delivery["session"] {
    return this.#delivery.session;
  }

  settle(outcome: Outcome): SettleResult {
    this.#watch.settling?.(this, outcome);
    const result = this.#delivery.settle(outcome);
    this.#watch.settled?.(this, outcome, result);
    return result;
  }
}

/** The same publisher; `before` may refuse a batch by a rejection, `confirmed` is told of what the broker has confirmed. */
export function watchedPublisher(
  publisher: Publisher,
  before: (messages: readonly OutgoingMessage[]) => Promise<void>,
  confirmed: (messages: readonly OutgoingMessage[]) => void,
): Publisher {
  return {
    capabilities: publisher.capabilities,
    async publish(destination, messages) {
      await before(messages);
      await publisher.publish(destination, messages);
      confirmed(messages);
    },
    close: () => publisher.close(),
  };
}
