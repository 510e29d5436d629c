import { LabError, type Outcome, type Sink } from "@lab/core";
import { type AdapterDelivery, AdapterSession, unsupportedOutcome } from "@lab/core/adapter";
import type solace from "solclientjs";
import { addTopics, consumerProperties, readAheadOf } from "./consumer.ts";
import { SolaceDelivery } from "./delivery.ts";
import { Gate } from "./gate.ts";
import { InHand } from "./in-hand.ts";
import { Link } from "./link.ts";
import { messageOf } from "./message.ts";
import type { SubscriberSettings } from "./options.ts";
import { bindRefusal, lossOf, lostAtStart } from "./refusal.ts";
import { warnOfNoDeliveryCount } from "./warnings.ts";

/**
 * One session of the client's with one consumer. It outlives its connections: what is in hand stays valid, and what the broker
 * sends again is recognised. It ends when the consumer does: the broker unbinds it, binds it no more, or makes another one the
 * active consumer of an exclusive queue.
 */
export class ConsumerSession {
  readonly #source: string;
  readonly #settings: SubscriberSettings;
  readonly #window: number;
  readonly #sink: Sink;
  readonly #session = new AdapterSession();
  readonly #link: Link;
  readonly #gate: Gate;
  readonly #inHand: InHand;
  #consumer: solace.MessageConsumer | undefined;
  /** The broker knows the consumer, and can be told what was settled. */
  #bound = false;
  #established = false;
  /** The broker has said so; while it has not, it may be one that never does. */
  #active: boolean | undefined;
  #received = false;
  /** Settled while the broker could not be told. */
  #owed: { readonly delivery: SolaceDelivery; readonly outcome: Outcome }[] = [];
  #cause: LabError | undefined;
  /** Resolves when the session has ended, with why. */
  readonly ended: Promise<LabError>;
  #tellEnd: (cause: LabError) => void = () => {};
  #onBound: () => void = () => {};

  constructor(source: string, window: number, settings: SubscriberSettings, sink: Sink) {
    this.#source = source;
    this.#window = window;
    this.#settings = settings;
    this.#sink = sink;
    this.ended = new Promise((resolve) => {
      this.#tellEnd = resolve;
    });
    this.#inHand = new InHand(window, readAheadOf(window, settings));
    this.#link = new Link(settings, {
      lost: (cause) => this.#lost(cause),
      trouble: (cause) => sink.connection("reconnecting", cause),
      back: () => {}, // The consumer is bound again next.
      refused: (error) => this.#end(error),
    });
    this.#gate = new Gate(
      window,
      () => this.#consumer?.stop(),
      () => this.#start(),
    );
  }

  /**
   * Resolves when the broker has bound the consumer. Rejects with nothing left open.
   * @throws {LabError} `SOURCE_MISSING`, `ACCESS_REFUSED`, `BROKER_UNREACHABLE` or `INVALID_OPTION`
   */
  async open(): Promise<void> {
    const failed = this.ended.then((loss) => Promise.reject(loss));
    failed.catch(() => {}); // Of a session that ends later, `ended` tells.
    try {
      await Promise.race([this.#setUp(), failed]);
    } catch (error) {
      await this.abandon(error);
      throw this.#cause;
    }
    this.#established = true;
  }

  /** Keeps from the sink what comes from now on. What the client has read ahead is the broker's again on closing. */
  withhold(): void {
    this.#gate.shut();
  }

  /** Sends what is settled and leaves in order. Never rejects; takes a few seconds at most. */
  async close(): Promise<void> {
    const consumer = this.#cause === undefined && this.#bound ? this.#consumer : undefined;
    this.#gate.shut();
    this.#end(new LabError("CONNECTION_LOST", "the subscription was closed"));
    if (consumer !== undefined) {
      // It sends the acknowledgements that the client still holds back; to dispose of it would not.
      const { DOWN } = this.#settings.solace.MessageConsumerEventName;
      await this.#link.say(consumer, DOWN, () => consumer.disconnect());
    }
    await this.#link.close();
  }

  /** Ends at once, without a goodbye of the consumer's. Resolves when nothing is left open. Never rejects. */
  abandon(cause: unknown): Promise<void> {
    this.#end(lossOf(`the consumer of "${this.#source}"`, cause));
    return this.#link.destroy(this.#cause);
  }

  async #setUp(): Promise<void> {
    const { solace, provision } = this.#settings;
    const session = await this.#link.open({ enabled: false });
    const bound = new Promise<void>((resolve) => {
      this.#onBound = resolve;
    });
    const properties = consumerProperties(session, this.#source, this.#window, this.#settings);
    const consumer = this.#asInvalid(() => session.createMessageConsumer(properties));
    this.#consumer = consumer;
    const event = solace.MessageConsumerEventName;
    consumer.on(event.UP, this.#onUp);
    consumer.on(event.CONNECT_FAILED_ERROR, this.#onUnbound);
    consumer.on(event.DOWN_ERROR, this.#onUnbound);
    consumer.on(event.GM_DISABLED, () =>
      this.#onUnbound({ message: "it has no guaranteed messaging" }),
    );
    consumer.on(event.ACTIVE, () => {
      this.#active = true;
    });
    consumer.on(event.INACTIVE, this.#onInactive);
    consumer.on(event.MESSAGE, this.#receive);
    consumer.addListener("error", () => {}); // A listener that threw; one that nobody hears would end the process.
    this.#asInvalid(() => consumer.connect());
    await bound;
    await addTopics(consumer, provision?.topics ?? [], this.#source, this.#settings);
  }

  readonly #onUp = (): void => {
    this.#bound = true;
    this.#sink.connection("connected");
    const owed = this.#owed;
    this.#owed = [];
    for (const { delivery, outcome } of owed) this.#tell(delivery.native, outcome, delivery);
    setImmediate(this.#checkActive);
    this.#onBound();
  };

  #lost(cause: LabError): void {
    this.#bound = false;
    if (this.#session.ended) return;
    if (!this.#established) {
      this.#end(lostAtStart(cause));
      return;
    }
    this.#inHand.connectionLost();
    this.#sink.connection("reconnecting", cause);
  }

  readonly #onUnbound = (event: unknown): void => {
    this.#bound = false;
    const what = `the consumer of "${this.#source}"`;
    this.#end(
      this.#established
        ? lossOf(what, event)
        : bindRefusal(this.#settings.solace, this.#source, event),
    );
  };

  /** Of every consumer whose connection is lost too. */
  readonly #onInactive = (): void => {
    this.#active = false;
    setImmediate(this.#checkActive);
  };

  /** Where another consumer of an exclusive queue is served, it has what is in hand here, and what was read ahead. */
  readonly #checkActive = (): void => {
    if (!this.#bound || this.#active !== false || !this.#received) return;
    this.#onUnbound({ message: "another consumer of the exclusive queue is the active one now" });
  };

  readonly #receive = (native: solace.Message): void => {
    if (this.#session.ended) return;
    this.#received = true;
    const recognised = this.#inHand.recognise(native);
    if (recognised !== undefined) {
      if (recognised !== "in hand") this.#tell(native, recognised);
      return;
    }
    const delivery = new SolaceDelivery(
      this.#session,
      messageOf(this.#settings.solace, native),
      this.#countOf(native),
      this.#settle,
    );
    this.#inHand.add(delivery);
    this.#gate.took();
    this.#sink.deliver(delivery);
  };

  #countOf(native: solace.Message): number | undefined {
    if (!this.#settings.deliveryCount) return undefined;
    try {
      return native.getDeliveryCount();
    } catch {
      warnOfNoDeliveryCount(this.#source);
      return undefined;
    }
  }

  readonly #settle = (settled: AdapterDelivery<undefined>, outcome: Outcome): void => {
    if (outcome !== "ack" && !this.#settings.nacks) {
      throw unsupportedOutcome(outcome, "This broker", "Acknowledge it, or set `nacks: true`.");
    }
    const delivery = settled as SolaceDelivery;
    this.#inHand.settled(delivery, outcome);
    if (this.#bound) this.#tell(delivery.native, outcome, delivery);
    else this.#owed.push({ delivery, outcome });
    this.#gate.freed();
  };

  /** A negative acknowledgement that the client is given without a connection would end its session for good. */
  #tell(native: solace.Message, outcome: Outcome, delivery?: SolaceDelivery): void {
    const { MessageOutcome } = this.#settings.solace;
    try {
      if (outcome === "ack") native.acknowledge();
      else native.settle(outcome === "nack" ? MessageOutcome.FAILED : MessageOutcome.REJECTED);
    } catch {
      // The connection is gone, and the event that tells is on its way.
      if (delivery !== undefined) this.#owed.push({ delivery, outcome });
    }
  }

  #start(): void {
    try {
      this.#consumer?.start();
    } catch {
      // It has just ended, and the event that tells is on its way.
    }
  }

  #asInvalid<T>(work: () => T): T {
    try {
      return work();
    } catch (thrown) {
      throw bindRefusal(this.#settings.solace, this.#source, thrown);
    }
  }

  /** Nothing can be settled any more. The first call counts. */
  #end(cause: LabError): void {
    if (this.#cause !== undefined) return;
    this.#cause = cause;
    this.#bound = false;
    this.#gate.shut();
    this.#inHand.clear();
    this.#owed = [];
    this.#session.end(cause);
    if (this.#established || this.#received) this.#sink.sessionEnded(this.#session);
    this.#tellEnd(cause);
  }
}
