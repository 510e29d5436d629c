import type {
  Sink,
  SubscribeOptions,
  Subscriber,
  SubscriberCapabilities,
  Subscription,
} from "@lab/core";
import { invalidOption } from "@lab/core/adapter";
import {
  type AmqpSubscriberOptions,
  requireName,
  type SubscriberSettings,
  subscriberSettings,
} from "./options.ts";
import { AmqpSubscription } from "./subscription.ts";

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
    if (!Number.isInteger(window) || window < 1) {
      throw invalidOption("window", window, "an integer ≥ 1");
    }
    requireName("source", source);
    if (source === "") throw invalidOption("source", source, "the name of a queue");
    signal?.throwIfAborted();
    const subscription = new AmqpSubscription(source, window, this.#settings, sink);
    await subscription.start(signal);
    return subscription;
  }
}
