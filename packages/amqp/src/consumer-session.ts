import { setTimeout as sleep } from "node:timers/promises";
import { LabError, type Outcome, type Sink } from "@lab/core";
import { type AdapterDelivery, AdapterSession, toError } from "@lab/core/adapter";
import type { Channel, ConsumeMessage } from "amqplib";
import { Acknowledger } from "./acknowledger.ts";
import { AgeWatch } from "./age-watch.ts";
import { Connection, closeChannel } from "./connection.ts";
import { AmqpDelivery } from "./delivery.ts";
import { messageOf } from "./message.ts";
import type { AmqpConnect, SubscriberSettings } from "./options.ts";
import { channelFault, connectFault, lossOf } from "./refusal.ts";

/** A quorum queue is given acknowledgements in batches; RabbitMQ forgets the last ones when the channel is closed. */
const linger = 200;

/** Prefetch is a 16-bit number, and 0 means no limit. */
const largestPrefetch = 65_535;

interface Consumer {
  readonly channel: Channel;
  readonly acknowledger: Acknowledger;
  readonly age: AgeWatch;
}

/** One connection with one channel and one consumer: a session of its own, which ends with any of them. */
export class ConsumerSession {
  readonly #source: string;
  readonly #window: number;
  readonly #settings: SubscriberSettings;
  readonly #sink: Sink;
  readonly #session = new AdapterSession();
  readonly #connection = new Connection();
  /** What there is once the broker may deliver. */
  #consumer: Consumer | undefined;
  #withheld = false;
  /** What the broker, or amqplib, gave as the reason of the end. */
  #said: Error | undefined;
  #cause: Error | undefined;
  /** Resolves when the session has ended, with why. */
  readonly ended: Promise<LabError>;
  #tellEnd: (cause: LabError) => void = () => {};

  constructor(source: string, window: number, settings: SubscriberSettings, sink: Sink) {
    this.#source = source;
    this.#window = window;
    this.#settings = settings;
    this.#sink = sink;
    this.ended = new Promise((resolve) => {
      this.#tellEnd = resolve;
    });
  }

  /**
   * Resolves when the broker has accepted the consumer. Rejects with nothing left open.
   * @throws {LabError} `SOURCE_MISSING`, `ACCESS_REFUSED`, `BROKER_UNREACHABLE` or `INVALID_OPTION`
   */
  async open(connect: AmqpConnect): Promise<void> {
    const { connectTimeout } = this.#settings;
    // A broker that was killed while it stored the queue accepts the consumer a minute later.
    const late = (): void => this.abandon(new Error(`no answer within ${connectTimeout} ms`));
    const timer = setTimeout(late, connectTimeout);
    const failed = this.ended.then((loss) => Promise.reject(loss));
    try {
      await Promise.race([this.#setUp(connect), failed]);
    } catch (thrown) {
      const error = this.#openFault(thrown);
      this.#end(error);
      await this.#connection.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Keeps from the sink what comes from now on; it is the broker's again when the channel closes. */
  withhold(): void {
    this.#withheld = true;
  }

  /** Sends what is settled and leaves in order. Never rejects; takes a few seconds at most. */
  async close(): Promise<void> {
    const consumer = this.#session.ended ? undefined : this.#consumer;
    consumer?.acknowledger.flush();
    this.#end(new Error("the subscription was closed"));
    if (consumer !== undefined) {
      await sleep(Math.max(0, consumer.acknowledger.lastSent + linger - performance.now()));
      await closeChannel(consumer.channel);
    }
    await this.#connection.close();
  }

  /** Ends at once, without a goodbye. */
  abandon(cause: Error): void {
    this.#said ??= cause;
    this.#end(cause);
    this.#connection.destroy(cause);
  }

  async #setUp(connect: AmqpConnect): Promise<void> {
    const { connectTimeout, ack, consumerTimeout } = this.#settings;
    const model = await this.#connection.open(connect, connectTimeout).catch((thrown) => {
      throw connectFault(thrown);
    });
    model.on("error", this.#onEnd);
    model.on("close", this.#onEnd);
    const channel = await model.createChannel();
    channel.on("error", this.#onEnd);
    channel.on("close", this.#onEnd);
    await this.#declare(channel);
    await channel.prefetch(Math.min(this.#window, largestPrefetch));
    if (this.#session.ended) return;
    const acknowledger = new Acknowledger(channel, this.#window, ack, this.#onEnd);
    const age = new AgeWatch(acknowledger, this.#source, consumerTimeout);
    this.#consumer = { channel, acknowledger, age };
    this.#sink.connection("connected");
    await channel.consume(this.#source, this.#receive);
  }

  async #declare(channel: Channel): Promise<void> {
    try {
      await this.#settings.declare(channel, this.#source);
    } catch (thrown) {
      const cause = toError(thrown);
      if ("code" in cause || this.#session.ended) throw thrown;
      throw new LabError("INVALID_OPTION", `\`declare\` threw: ${cause.message}`, { cause });
    }
  }

  readonly #receive = (message: ConsumeMessage | null): void => {
    if (message === null) {
      this.#end(new Error("the broker cancelled the consumer: its queue was deleted or has moved"));
      return;
    }
    if (this.#withheld || this.#consumer === undefined) return;
    const { acknowledger, age } = this.#consumer;
    const { deliveryTag, redelivered } = message.fields;
    const count = this.#settings.queueType === "quorum" ? deliveriesOf(message) : undefined;
    const delivery = new AmqpDelivery(
      this.#session,
      messageOf(message),
      redelivered,
      count,
      deliveryTag,
      this.#settle,
    );
    delivery.tick = age.tick;
    acknowledger.received(delivery);
    this.#sink.deliver(delivery);
  };

  readonly #settle = (delivery: AdapterDelivery<number>, outcome: Outcome): void => {
    const { acknowledger } = this.#consumer as Consumer;
    if (outcome === "ack") acknowledger.acked(delivery as AmqpDelivery);
    else acknowledger.nacked(delivery as AmqpDelivery, outcome === "nack");
  };

  readonly #onEnd = (thrown?: unknown): void => {
    if (thrown !== undefined) this.#said ??= toError(thrown);
    this.#end(this.#said ?? new Error("it was closed"));
  };

  /** Nothing can be settled any more. The first call counts. */
  #end(cause: Error): void {
    if (this.#session.ended) return;
    this.#consumer?.acknowledger.end();
    this.#consumer?.age.end();
    this.#session.end(lossOf(this.#source, cause));
    if (this.#consumer !== undefined) this.#sink.sessionEnded(this.#session);
    // amqplib closes the channel, and tells no cause, just before it tells why the connection was closed.
    queueMicrotask(() => {
      this.#cause = this.#said ?? cause;
      this.#tellEnd(lossOf(this.#source, this.#cause));
    });
  }

  #openFault(thrown: unknown): LabError {
    // What ended the session says more than what failed because of it.
    const cause = this.#cause ?? thrown;
    const what = `Cannot consume "${this.#source}"`;
    return cause instanceof LabError ? cause : channelFault(what, toError(cause));
  }
}

/** Quorum queues count the deliveries before this one; not before the first, though a header of old may be there. */
function deliveriesOf({ fields, properties }: ConsumeMessage): number {
  const before: unknown = properties.headers?.["x-delivery-count"];
  return fields.redelivered && typeof before === "number" ? before + 1 : 1;
}
