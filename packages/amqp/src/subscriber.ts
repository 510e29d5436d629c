import type {
  Sink,
  SubscribeOptions,
  Subscriber,
  SubscriberCapabilities,
  Subscription,
} from "@lab/core";
import { Backoff, invalidOption, keepSubscribed, requireWindow } from "@lab/core/adapter";
import { Consumer } from "./consumer.ts";
import { Hosts } from "./hosts.ts";
import { LostConsumer } from "./lost-consumer.ts";
import {
  type AmqpSubscriberOptions,
  requireName,
  type SubscriberSettings,
  subscriberSettings,
} from "./options.ts";

/**
 * A subscriber of AMQP 0-9-1 queues, classic and quorum. Its source is the name of a queue.
 * @throws {LabError} `INVALID_OPTION`
 */
export function amqpSubscriber(options: AmqpSubscriberOptions): Subscriber {
  return new AmqpSubscriber(subscriberSettings(options));
}

class AmqpSubscriber implements Subscriber {
  readonly capabilities: SubscriberCapabilities;
  readonly #settings: SubscriberSettings;

  constructor(settings: SubscriberSettings) {
    this.#settings = settings;
    this.capabilities = {
      settles: "individually",
      nack: true,
      reject: true,
      deliveryCount: settings.queueType === "quorum",
      partitions: "none",
      resumes: false,
    };
  }

  async subscribe(source: string, options: SubscribeOptions, sink: Sink): Promise<Subscription> {
    const { window, signal } = options;
    requireWindow(window);
    requireName("source", source);
    if (source === "") throw invalidOption("source", source, "the name of a queue");
    const settings = this.#settings;
    const hosts = new Hosts(settings.connects);
    const lost = new LostConsumer(settings.takeBackTimeout);
    return keepSubscribed({
      sink,
      signal,
      backoff: new Backoff({ ...settings.backoff, jitter: 0.5 }),
      open: (session, deliver, over) =>
        hosts.open(
          async (connect) => {
            const consumer = new Consumer({ source, window, settings, session, deliver, lost });
            await consumer.open(connect, over);
            return consumer;
          },
          () => !session.ended && !over.aborted,
        ),
    });
  }
}
