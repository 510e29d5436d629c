import { setTimeout as sleep } from "node:timers/promises";
import { type Delivery, LabError, type Outcome } from "@lab/core";
import {
  type AdapterDelivery,
  type AdapterSession,
  type OpenedSession,
  toError,
} from "@lab/core/adapter";
import type { Channel, ConsumeMessage } from "amqplib";
import { Acknowledger } from "./acknowledger.ts";
import { AgeWatch } from "./age-watch.ts";
import { Connection, closeChannel } from "./connection.ts";
import { AmqpDelivery } from "./delivery.ts";
import type { LostConsumer } from "./lost-consumer.ts";
import { messageOf } from "./message.ts";
import type { AmqpConnect, SubscriberSettings } from "./options.ts";
import { channelFault, connectFault, lossOf } from "./refusal.ts";

/** A quorum queue is given acknowledgements in batches; RabbitMQ forgets the last ones when the channel is closed. */
const linger = 200;

/** Prefetch is a 16-bit number, and 0 means no limit. */
const largestPrefetch = 65_535;

/** What there is from the moment that the broker may deliver. */
interface Receiving {
  readonly channel: Channel;
  readonly acknowledger: Acknowledger;
  readonly age: AgeWatch;
}

export interface ConsumerOptions {
  readonly source: string;
  readonly window: number;
  readonly settings: SubscriberSettings;
  /** Ends with the connection, the channel or the consumer, whichever is first. */
  readonly session: AdapterSession;
  readonly deliver: (delivery: Delivery) => void;
  /** The one before. */
  readonly lost: LostConsumer;
}

/**
 * One connection with one channel and one consumer: what carries a session.
 *
 * It cannot be told to stop. Were the consumer cancelled, a queue with a single active consumer would turn to the next one
 * while messages of the same keys are still in hand here. What comes after a stop, a window at most, stays unsettled and is
 * the queue's own again when the channel closes: see docs/decisions/0006-a-stopped-amqp-consumer-is-not-cancelled.md.
 */
export class Consumer implements OpenedSession {
  readonly #options: ConsumerOptions;
  readonly #connection = new Connection();
  #receiving: Receiving | undefined;
  #cause: Error | undefined;
  /** Rejects when the connection, the channel or the consumer is gone. */
  readonly #gone: Promise<never>;
  #lose: (cause: Error) => void = () => {};

  constructor(options: ConsumerOptions) {
    this.#options = options;
    this.#gone = new Promise((_, reject) => {
      this.#lose = reject;
    });
    this.#gone.catch(() => {});
  }

  /**
   * Resolves when the broker has accepted the consumer. Rejects with nothing left open, at once when `signal` aborts.
   * @throws {LabError} `SOURCE_MISSING`, `ACCESS_REFUSED`, `BROKER_UNREACHABLE` or `INVALID_OPTION`
   */
  async open(connect: AmqpConnect, signal: AbortSignal): Promise<void> {
    const { connectTimeout } = this.#options.settings;
    // A broker that was killed while it stored the queue accepts connections, and never the consumer.
    const late = (): void => this.#abandon(new Error(`no answer within ${connectTimeout} ms`));
    const timer = setTimeout(late, connectTimeout);
    const onAbort = (): void => this.#abandon(new Error("it is not wanted any more"));
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await Promise.race([this.#setUp(connect, () => timer.refresh()), this.#gone]);
    } catch (thrown) {
      const error = this.#openFault(thrown);
      await this.#connection.close();
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Sends what is settled and leaves in order. Never rejects; takes a few seconds at most. */
  async close(): Promise<void> {
    const receiving = this.#cause === undefined ? this.#receiving : undefined;
    if (receiving !== undefined) {
      receiving.acknowledger.flush();
      this.#end(new Error("the subscription was closed"));
      await sleep(Math.max(0, receiving.acknowledger.lastSent + linger - performance.now()));
      await closeChannel(receiving.channel);
    }
    await this.#connection.close();
  }

  /** `waits` is called while it has to wait although the broker answers. */
  async #setUp(connect: AmqpConnect, waits: () => void): Promise<void> {
    const { source, window, settings, lost } = this.#options;
    const { connectTimeout, ack, consumerTimeout } = settings;
    const model = await this.#connection.open(connect, connectTimeout).catch((thrown) => {
      throw connectFault(thrown);
    });
    model.on("error", this.#end);
    model.on("close", (error) => this.#end(error ?? new Error("the connection was closed")));
    const channel = await model.createChannel();
    channel.on("error", this.#end);
    // amqplib closes the channels, without a cause, just before it tells why the connection was closed.
    const closed = (): void => this.#end(new Error("the channel was closed"));
    channel.on("close", () => queueMicrotask(closed));
    await this.#declare(channel);
    await lost.gone(channel, source, waits);
    await channel.prefetch(Math.min(window, largestPrefetch));
    if (this.#cause !== undefined) return;
    const acknowledger = new Acknowledger(channel, window, ack, (thrown) =>
      this.#end(toError(thrown)),
    );
    const age = new AgeWatch(acknowledger, source, consumerTimeout);
    this.#receiving = { channel, acknowledger, age };
    lost.asked();
    await channel.consume(source, this.#receive);
    lost.there();
  }

  async #declare(channel: Channel): Promise<void> {
    const { source, settings } = this.#options;
    try {
      await settings.declare?.(channel, source);
    } catch (thrown) {
      const cause = toError(thrown);
      if ("code" in cause || this.#cause !== undefined) throw thrown;
      throw new LabError("INVALID_OPTION", `\`declare\` threw: ${cause.message}`, { cause });
    }
  }

  readonly #receive = (message: ConsumeMessage | null): void => {
    if (message === null) {
      this.#end(new Error("the broker cancelled the consumer: its queue was deleted or has moved"));
      this.#options.lost.ended(false); // What was in hand may have gone with the queue.
      return;
    }
    const { acknowledger, age } = this.#receiving as Receiving;
    const { session, settings, deliver } = this.#options;
    const { deliveryTag, redelivered } = message.fields;
    const count = settings.queueType === "quorum" ? deliveriesOf(message) : undefined;
    const delivery = new AmqpDelivery(
      session,
      messageOf(message),
      redelivered,
      count,
      deliveryTag,
      this.#settle,
    );
    delivery.tick = age.tick;
    acknowledger.received(delivery);
    deliver(delivery);
  };

  readonly #settle = (delivery: AdapterDelivery<number>, outcome: Outcome): void => {
    const { acknowledger } = this.#receiving as Receiving;
    if (outcome === "ack") acknowledger.acked(delivery as AmqpDelivery);
    else acknowledger.nacked(delivery as AmqpDelivery, outcome === "nack");
  };

  /** Nothing can be settled any more. The first call counts. */
  readonly #end = (cause: Error): void => {
    if (this.#cause !== undefined) return;
    this.#cause = cause;
    if (this.#receiving !== undefined) {
      this.#receiving.acknowledger.end();
      this.#receiving.age.end();
      this.#options.lost.ended(this.#receiving.acknowledger.oldest !== undefined);
      this.#options.session.end(lossOf(this.#options.source, cause));
    }
    this.#lose(cause);
  };

  /** Ends at once, without a goodbye. */
  #abandon(cause: Error): void {
    this.#end(cause);
    this.#connection.destroy(cause);
  }

  #openFault(thrown: unknown): LabError {
    // What ended it says more than what failed because of that.
    const cause = this.#cause ?? thrown;
    const what = `Cannot consume "${this.#options.source}"`;
    return cause instanceof LabError ? cause : channelFault(what, toError(cause));
  }
}

/** Quorum queues count the deliveries before this one; not before the first, though a header of old may be there. */
function deliveriesOf({ fields, properties }: ConsumeMessage): number {
  const before: unknown = properties.headers?.["x-delivery-count"];
  return fields.redelivered && typeof before === "number" ? before + 1 : 1;
}
