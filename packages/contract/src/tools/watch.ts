import type {
  ConnectionState,
  Delivery,
  Message,
  Outcome,
  Session,
  SettleResult,
  Sink,
  Subscriber,
  Subscription,
} from "@lab/core";

/**
 * Stands between a subscriber and whoever consumes, in every scenario, and notes each rule of the ports that the
 * adapter breaks: the window, silence after `stop`, one outcome a delivery, sessions that end once and for good.
 */
export class PortWatch {
  /** Rules broken, in words. */
  readonly findings: string[] = [];
  /** Every connection state told, over all subscriptions. */
  readonly states: ConnectionState[] = [];
  /** Called with each connection state as it is told, when set. */
  onState: ((state: ConnectionState) => void) | undefined;
  /** Deliveries handed out, over all subscriptions. */
  delivered = 0;

  subscriber(watched: Subscriber): Subscriber {
    return {
      capabilities: watched.capabilities,
      subscribe: async (source, options, sink) => {
        const watch = new WatchedSink(sink, options.window, this);
        try {
          return watch.over(await watched.subscribe(source, options, watch));
        } catch (error) {
          watch.end();
          throw error;
        }
      },
    };
  }

  note(finding: string): void {
    if (!this.findings.includes(finding)) this.findings.push(finding);
  }
}

class WatchedSink implements Sink {
  readonly #sink: Sink;
  readonly #window: number;
  readonly #watch: PortWatch;
  readonly #open = new Set<WatchedDelivery>();
  readonly #sessions = new Set<Session>();
  readonly #told = new WeakSet<Session>();
  #stopped = false;
  #closed = false;

  constructor(sink: Sink, window: number, watch: PortWatch) {
    this.#sink = sink;
    this.#window = window;
    this.#watch = watch;
  }

  /** Nothing may be delivered from now on. */
  end(): void {
    this.#stopped = true;
  }

  /** The subscription, with its calls noted. */
  over(subscription: Subscription): Subscription {
    return {
      stop: () => {
        this.#stopped = true;
        return subscription.stop();
      },
      close: async () => {
        this.#stopped = true;
        await subscription.close();
        this.#closed = true;
        for (const session of this.#sessions) {
          if (!session.ended) this.#watch.note("a session had not ended after close");
          else if (!this.#told.has(session)) this.#watch.note("the end of a session was not told");
        }
      },
    };
  }

  deliver(delivery: Delivery): void {
    const watch = this.#watch;
    watch.delivered++;
    this.#forgetEnded();
    if (this.#stopped) watch.note("delivered after stop or close was called");
    if (delivery.session.ended) watch.note("delivered in a session that had ended");
    for (const session of this.#sessions) {
      if (session.ended && !this.#told.has(session)) {
        watch.note("delivered before the end of the earlier session was told");
      }
    }
    if (this.#open.size >= this.#window) {
      watch.note(
        `delivered while ${this.#open.size} deliveries were unsettled; the window is ${this.#window}`,
      );
    }
    this.#sessions.add(delivery.session);
    const watched = new WatchedDelivery(delivery, watch, this.#open);
    this.#open.add(watched);
    this.#sink.deliver(watched);
  }

  sessionEnded(session: Session): void {
    if (!session.ended) this.#watch.note("told the end of a session that had not ended");
    if (this.#told.has(session)) this.#watch.note("told the end of a session twice");
    this.#told.add(session);
    this.#sink.sessionEnded(session);
  }

  connection(state: ConnectionState, cause?: Error): void {
    if (this.#closed) this.#watch.note(`told the connection state ${state} after close`);
    this.#watch.states.push(state);
    this.#sink.connection(state, cause);
    this.#watch.onState?.(state);
  }

  failed(error: Error): void {
    this.#sink.failed(error);
  }

  #forgetEnded(): void {
    for (const delivery of this.#open) {
      if (delivery.session.ended) this.#open.delete(delivery);
    }
  }
}

class WatchedDelivery implements Delivery {
  readonly message: Message;
  readonly redelivered: boolean;
  readonly deliveryCount: number | undefined;
  readonly session: Session;
  readonly #delivery: Delivery;
  readonly #watch: PortWatch;
  readonly #open: Set<WatchedDelivery>;
  #decided = false;

  constructor(delivery: Delivery, watch: PortWatch, open: Set<WatchedDelivery>) {
    this.message = delivery.message;
    this.redelivered = delivery.redelivered;
    this.deliveryCount = delivery.deliveryCount;
    this.session = delivery.session;
    this.#delivery = delivery;
    this.#watch = watch;
    this.#open = open;
  }

  settle(outcome: Outcome): SettleResult {
    const ended = this.session.ended;
    const open = this.#open.delete(this); // First: the adapter may deliver from within `settle`.
    let result: SettleResult;
    try {
      result = this.#delivery.settle(outcome);
    } catch (error) {
      if (open) this.#open.add(this);
      throw error;
    }
    const expected = this.#decided ? "repeated" : ended ? "stale" : "settled";
    const endedMeanwhile = result === "stale" && this.session.ended && !this.#decided;
    if (result !== expected && !endedMeanwhile) {
      this.#watch.note(`settle returned "${result}" where "${expected}" was due`);
    }
    this.#decided = true;
    return result;
  }
}
