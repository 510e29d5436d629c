import { Backoff } from "../adapter/backoff.ts";
import { AdapterDelivery, AdapterSession } from "../adapter/session.ts";
import { LabError, toError } from "../errors.ts";
import type { Outcome, Sink, Subscription } from "../ports.ts";
import type { BrokerAccess, Connection } from "./access.ts";
import type { MemoryQueue, QueueConsumer, StoredMessage } from "./queue.ts";

/** One subscription: a consumer of its queue that connects again by itself after each loss. */
export class MemorySubscription implements Subscription, QueueConsumer, Connection {
  readonly #access: BrokerAccess;
  readonly #source: string;
  readonly #window: number;
  readonly #sink: Sink;
  readonly #backoff = new Backoff({ base: 10, cap: 1_000 });
  readonly #unsettled = new Set<StoredMessage>();
  #queue: MemoryQueue;
  #session = new AdapterSession();
  #state: "open" | "stopped" | "closed" = "open";
  #reconnect: unknown;

  constructor(access: BrokerAccess, queue: MemoryQueue, window: number, sink: Sink) {
    this.#access = access;
    this.#queue = queue;
    this.#source = queue.name;
    this.#window = window;
    this.#sink = sink;
    this.#connected();
  }

  get ready(): boolean {
    return this.#unsettled.size < this.#window;
  }

  receive(stored: StoredMessage): void {
    this.#unsettled.add(stored);
    this.#sink.deliver(
      new AdapterDelivery(
        this.#session,
        stored.message,
        stored.deliveries > 1,
        stored.deliveries,
        stored,
        this.#settle,
      ),
    );
  }

  connectionLost(cause: Error): void {
    this.#access.disconnect(this);
    const session = this.#endSession(cause);
    this.#sink.sessionEnded(session);
    if (this.#state === "open") {
      this.#sink.connection("reconnecting", cause);
      this.#reconnectLater();
    } else {
      this.#sink.connection("closed", cause);
    }
  }

  queueDeleted(): void {
    this.#fail(
      new LabError(
        "SUBSCRIPTION_FAILED",
        `Queue "${this.#source}" was deleted. Create it again, then subscribe again.`,
      ),
    );
  }

  stop(): Promise<void> {
    if (this.#state === "open") {
      this.#state = "stopped";
      this.#queue.detach(this);
      this.#access.clock.clearTimeout(this.#reconnect);
    }
    return Promise.resolve();
  }

  close(): Promise<void> {
    if (this.#state !== "closed") {
      this.#close(new Error("the subscription was closed"));
      this.#sink.connection("closed");
    }
    return Promise.resolve();
  }

  readonly #settle = (delivery: AdapterDelivery<StoredMessage>, outcome: Outcome): void => {
    const stored = delivery.tag;
    this.#unsettled.delete(stored);
    if (outcome === "ack") this.#queue.acknowledge();
    else if (outcome === "nack") this.#queue.giveBack([stored]);
    else this.#queue.reject(stored);
  };

  #connected(): void {
    this.#access.connect(this);
    this.#sink.connection("connected");
    if (this.#state === "open") this.#queue.attach(this);
  }

  #reconnectLater(): void {
    this.#reconnect = this.#access.clock.setTimeout(() => {
      try {
        this.#queue = this.#access.open(this.#source);
      } catch (error) {
        if (error instanceof LabError && error.code === "BROKER_UNREACHABLE")
          this.#reconnectLater();
        else this.#fail(toError(error));
        return;
      }
      this.#backoff.reset();
      this.#session = new AdapterSession();
      this.#connected();
    }, this.#backoff.next());
  }

  /** Everything unsettled is back in its queue before anybody hears of the end. */
  #endSession(cause: Error): AdapterSession {
    this.#queue.detach(this);
    this.#session.end(cause);
    const unsettled = [...this.#unsettled];
    this.#unsettled.clear();
    this.#queue.giveBack(unsettled);
    return this.#session;
  }

  #fail(error: Error): void {
    this.#close(error);
    this.#sink.connection("closed", error);
    this.#sink.failed(error);
  }

  #close(cause: Error): void {
    this.#state = "closed";
    this.#access.clock.clearTimeout(this.#reconnect);
    this.#access.disconnect(this);
    const live = !this.#session.ended;
    const session = this.#endSession(cause);
    if (live) this.#sink.sessionEnded(session);
  }
}
