/**
 * The ports: what an adapter implements and what a user's code is called with. The comments are the contract;
 * `@lab/contract` tests it. Three kinds of broker have to fit behind it: those that settle one by one (AMQP, Solace),
 * those that settle only in the order received (MQTT), and those that settle by offset (Kafka).
 */

/** A message as it arrived. Immutable: handlers, retries and dead letters share one object. */
export interface Message {
  /** The payload as the broker carried it. Empty, never absent. */
  readonly body: Uint8Array;
  /**
   * The key that the broker carries with the message (Kafka: record key; MQTT: the topic, or the `key` user property),
   * or `undefined` where it carries none.
   */
  readonly key: string | undefined;
  /** Where the publisher sent it: topic, routing key, queue. */
  readonly destination: string;
  /** Text headers. Empty where the broker has none (MQTT 3.1.1). */
  readonly headers: Readonly<Record<string, string>>;
}

/** A message to publish. */
export interface OutgoingMessage {
  readonly body: Uint8Array;
  /** Carried as the broker carries keys; a publisher whose `capabilities.keys` is false refuses it. */
  readonly key?: string | undefined;
  /** A publisher whose `capabilities.headers` is false refuses a message with headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * What becomes of a delivery.
 * - `ack`: done, the broker forgets it.
 * - `nack`: not done, the broker delivers it again, to anyone and in any order. The engine never uses it: prefetched
 *   siblings of the same key would overtake.
 * - `reject`: will never be done; the broker drops or dead-letters it as it is configured to.
 */
export type Outcome = "ack" | "nack" | "reject";

/**
 * - `settled`: this call decided; the broker has been told, or will be as soon as its order of settling permits.
 * - `repeated`: an earlier call on this delivery decided; nothing happened.
 * - `stale`: the delivery's session has ended, so nobody can be told; the broker will deliver the message again.
 */
export type SettleResult = "settled" | "repeated" | "stale";

/**
 * The span in which deliveries can be settled: an AMQP channel, an MQTT session, one assignment of a Kafka partition.
 * It ends once, for good; what it delivered and was not settled comes again in a later session, here or at another
 * member. A network connection that comes and goes within it (MQTT with a persistent session) does not end it.
 */
export interface Session {
  /** True from the moment that settling has become impossible. */
  readonly ended: boolean;
  /**
   * Aborts when the session ends, with a {@link LabError} as its reason. Created on first use: 2 µs per session, not
   * per message.
   */
  readonly signal: AbortSignal;
}

/** One arrival of a message. */
export interface Delivery {
  readonly message: Message;
  /** The broker says that this may not be the first arrival. Advisory: several brokers forget to say so. */
  readonly redelivered: boolean;
  /** Arrivals so far, this one included, if the broker counts them. Never to be confused with the handler's attempts. */
  readonly deliveryCount: number | undefined;
  readonly session: Session;
  /**
   * Settles the delivery. Synchronous; the first call wins. Any order: an adapter whose broker wants the order
   * received (MQTT) or an offset (Kafka) keeps what is settled early until its turn.
   * @throws {LabError} `UNSUPPORTED_OUTCOME` where the capability is declared false; the delivery is then still open.
   */
  settle(outcome: Outcome): SettleResult;
}

/** What an adapter can do. What is declared false is refused, and the contract suite tests that it is. */
export interface SubscriberCapabilities {
  /**
   * `individually`: each settle reaches the broker by itself. `in-order`: it waits for all deliveries received before
   * (one slow message holds the window). `by-offset`: the broker stores a position, so after a crash messages behind
   * an unsettled one come again although they were settled.
   */
  readonly settles: "individually" | "in-order" | "by-offset";
  readonly nack: boolean;
  readonly reject: boolean;
  /** `Delivery.deliveryCount` is a number. */
  readonly deliveryCount: boolean;
  /**
   * What keeps a key at one member when several members consume one source. `none`: nothing, so keyed order holds only
   * with a single active member. `key`: the broker partitions by key (Kafka, Solace partitioned queues).
   */
  readonly partitions: "none" | "key";
  /**
   * A session outlives the loss of its connection: deliveries in hand stay valid, and those that the broker sends
   * again are recognised and not handed out twice.
   */
  readonly resumes: boolean;
}

/** State of the link to the broker. */
export type ConnectionState = "connecting" | "connected" | "reconnecting" | "closed";

/**
 * Where an adapter puts what it receives. Implemented by the engine. No method throws, none waits, and each may be
 * called from within a `settle`.
 */
export interface Sink {
  /**
   * Hands over one delivery, in the order received. Never called while `window` deliveries of live sessions are
   * unsettled, and never after `Subscription.stop` has been called.
   */
  deliver(delivery: Delivery): void;
  /**
   * Tells that a session has ended: called once for each, after `session.ended` has turned true and before the first
   * delivery of the session that replaces it; by `Subscription.close` too, for the sessions that it ends. The engine
   * drops what it still queues of that session.
   */
  sessionEnded(session: Session): void;
  /** Tells that the link to the broker changed. `cause` says why, where something went wrong. */
  connection(state: ConnectionState, cause?: Error): void;
  /**
   * Tells that this subscription is over for good and by itself: the broker refuses it, or it was deleted. Whoever
   * consumes closes it then.
   */
  failed(error: Error): void;
}

export interface SubscribeOptions {
  /** Most deliveries unsettled at once, over the whole subscription. An integer ≥ 1. */
  readonly window: number;
  /** Aborting it while `subscribe` waits rejects with its reason and leaves nothing open. Without effect afterwards. */
  readonly signal?: AbortSignal | undefined;
}

/** Implemented by an adapter. One subscriber may be subscribed any number of times. */
export interface Subscriber {
  readonly capabilities: SubscriberCapabilities;
  /**
   * Starts to consume `source` (queue, topic, topic filter). Resolves when the broker has accepted the subscription;
   * deliveries may reach the sink before that.
   *
   * Rejects, with nothing left open, as soon as it is clear that it cannot work: source missing, credentials wrong,
   * broker unreachable. Once it has resolved, a lost connection is the adapter's to restore, without end and with
   * back-off.
   * @throws {LabError} `SOURCE_MISSING`, `ACCESS_REFUSED`, `BROKER_UNREACHABLE` or `INVALID_OPTION`
   */
  subscribe(source: string, options: SubscribeOptions, sink: Sink): Promise<Subscription>;
}

export interface Subscription {
  /**
   * Stops new deliveries: none reaches the sink once it has been called. Settling still works. Resolves when the broker
   * knows, or its connection is gone. A second call joins the first.
   */
  stop(): Promise<void>;
  /**
   * Sends what was settled, then ends the sessions and closes every resource; nothing of it keeps the process alive.
   * What is unsettled goes back to the broker. Works in every state and waits at most a few seconds for a broker that
   * does not answer. A second call joins the first.
   */
  close(): Promise<void>;
}

export interface PublisherCapabilities {
  readonly headers: boolean;
  readonly keys: boolean;
}

export interface Publisher {
  readonly capabilities: PublisherCapabilities;
  /**
   * Publishes in the order given; one message is a batch of one. Resolves when the broker has confirmed every message.
   * @throws {PublishError} naming the messages that failed and why; all others are confirmed.
   * @throws {LabError} `INVALID_OPTION` where `messages` is no array
   */
  publish(destination: string, messages: readonly OutgoingMessage[]): Promise<void>;
  /** Waits for what is in flight (a few seconds at most), then closes. A second call joins the first. */
  close(): Promise<void>;
}

/**
 * Picks the key whose order is to be kept; `undefined` = unordered. Synchronous and before decoding, so that the order
 * of a key is the order of arrival. A throw is a failure of that message (`KEY_SELECTOR_FAILED`), nobody else's.
 */
export type KeySelector = (message: Message) => string | undefined;

/** Turns a message into the handler's value. Runs in the lane, once per attempt. A throw is `DECODE_FAILED`. */
export type Deserialize<T> = (message: Message) => T | PromiseLike<T>;

/**
 * A function, or an object that has it. The object is what a generic helper such as `json(schema)` returns: in the options
 * of `consume`, TypeScript infers the handler's type from an object, and would give up on a function.
 */
export type Deserializer<T> = Deserialize<T> | { readonly deserialize: Deserialize<T> };

export interface HandlerContext {
  readonly delivery: Delivery;
  readonly key: string | undefined;
  /** 1 for the first try of this delivery, one more for each retry. */
  readonly attempt: number;
  /** The lane that runs it, 0 … lanes − 1. */
  readonly lane: number;
  /**
   * Aborts when the result can no longer count: the session ended, the consumer was stopped, or `handlerTimeout` has
   * passed. The key waits for the handler to return in any case.
   */
  readonly signal: AbortSignal;
}

/** Does the work. Returning (or resolving) acknowledges the message; throwing (or rejecting) is a failed attempt. */
export type Handler<T> = (value: T, context: HandlerContext) => unknown;
