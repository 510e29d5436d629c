import type {
  Delivery,
  Message,
  Outcome,
  Session,
  SettleResult,
  Sink,
  Subscriber,
} from "@lab/core";

/**
 * Stands between the adapter and the engine and notes what passes: when deliveries came and were settled, how many
 * were unsettled at once. Its figures depend on neither of the two.
 */
export class Observer {
  firstDeliveryAt: number | undefined;
  lastSettleAt: number | undefined;
  maxUnsettled = 0;
  readonly #onInterruption: () => void;
  readonly #unsettled = new Map<Session, number>();

  /** `onInterruption`: a session or a connection was lost, so the broker may deliver again. */
  constructor(onInterruption: () => void) {
    this.#onInterruption = onInterruption;
  }

  observe(subscriber: Subscriber): Subscriber {
    return {
      capabilities: subscriber.capabilities,
      subscribe: (source, options, sink) => subscriber.subscribe(source, options, this.#sink(sink)),
    };
  }

  #sink(sink: Sink): Sink {
    return {
      deliver: (delivery) => {
        const arrivedAt = performance.now();
        this.firstDeliveryAt ??= arrivedAt;
        this.#count(delivery.session, 1);
        sink.deliver(new ObservedDelivery(delivery, arrivedAt, this));
      },
      sessionEnded: (session) => {
        this.#unsettled.delete(session);
        this.#onInterruption();
        sink.sessionEnded(session);
      },
      connection: (state, cause) => {
        if (state === "reconnecting") this.#onInterruption();
        sink.connection(state, cause);
      },
      failed: (error) => sink.failed(error),
    };
  }

  /** Called by the deliveries alone. */
  settle(delivery: Delivery, outcome: Outcome): SettleResult {
    this.#count(delivery.session, -1); // First: the adapter may deliver from within `settle`.
    const result = delivery.settle(outcome);
    if (result === "settled") this.lastSettleAt = performance.now();
    else this.#count(delivery.session, 1);
    return result;
  }

  #count(session: Session, change: 1 | -1): void {
    if (session.ended) return;
    this.#unsettled.set(session, (this.#unsettled.get(session) ?? 0) + change);
    let unsettled = 0;
    for (const count of this.#unsettled.values()) unsettled += count;
    this.maxUnsettled = Math.max(this.maxUnsettled, unsettled);
  }
}

export class ObservedDelivery implements Delivery {
  readonly message: Message;
  readonly redelivered: boolean;
  readonly deliveryCount: number | undefined;
  readonly session: Session;
  readonly arrivedAt: number;
  readonly #delivery: Delivery;
  readonly #observer: Observer;

  constructor(delivery: Delivery, arrivedAt: number, observer: Observer) {
    this.message = delivery.message;
    this.redelivered = delivery.redelivered;
    this.deliveryCount = delivery.deliveryCount;
    this.session = delivery.session;
    this.arrivedAt = arrivedAt;
    this.#delivery = delivery;
    this.#observer = observer;
  }

  settle(outcome: Outcome): SettleResult {
    return this.#observer.settle(this.#delivery, outcome);
  }
}
