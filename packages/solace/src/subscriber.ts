import type {
  Sink,
  SubscribeOptions,
  Subscriber,
  SubscriberCapabilities,
  Subscription,
} from "@lab/core";
import { invalidOption } from "@lab/core/adapter";
import {
  requireEndpointName,
  type SolaceSubscriberOptions,
  type SubscriberSettings,
  subscriberSettings,
} from "./options.ts";
import { SolaceSubscription } from "./subscription.ts";

/**
 * A subscriber of Solace queues, or of durable topic endpoints. Its source is the name of one.
 * @throws {LabError} `INVALID_OPTION`
 */
export function solaceSubscriber(options: SolaceSubscriberOptions): Subscriber {
  return new SolaceSubscriber(subscriberSettings(options));
}

class SolaceSubscriber implements Subscriber {
  readonly capabilities: SubscriberCapabilities;
  readonly #settings: SubscriberSettings;

  constructor(settings: SubscriberSettings) {
    this.#settings = settings;
    this.capabilities = {
      settles: "individually",
      nack: settings.nacks,
      reject: settings.nacks,
      deliveryCount: settings.deliveryCount,
      partitions: settings.partitioned ? "key" : "none",
      resumes: true,
    };
  }

  async subscribe(source: string, options: SubscribeOptions, sink: Sink): Promise<Subscription> {
    const { window, signal } = options;
    if (!Number.isInteger(window) || window < 1) {
      throw invalidOption("window", window, "an integer ≥ 1");
    }
    requireEndpointName("source", source);
    signal?.throwIfAborted();
    const subscription = new SolaceSubscription(source, window, this.#settings, sink);
    await subscription.start(signal);
    return subscription;
  }
}
