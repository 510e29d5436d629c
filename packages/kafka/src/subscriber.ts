import type {
  Sink,
  SubscribeOptions,
  Subscriber,
  SubscriberCapabilities,
  Subscription,
} from "@lab/core";
import { invalidOption } from "@lab/core/adapter";
import { KafkajsGroup } from "./kafkajs/group.ts";
import {
  type KafkaSubscriberOptions,
  type SubscriberSettings,
  subscriberSettings,
} from "./options.ts";
import { KafkaSubscription } from "./subscription.ts";
import { requireTopic } from "./topic.ts";

/**
 * A subscriber of Kafka topics, as a member of a consumer group. Its source is the name of a topic.
 * @throws {LabError} `INVALID_OPTION`
 */
export function kafkaSubscriber(options: KafkaSubscriberOptions): Subscriber {
  return new KafkaSubscriber(subscriberSettings(options));
}

class KafkaSubscriber implements Subscriber {
  readonly capabilities: SubscriberCapabilities = {
    settles: "by-offset",
    nack: false,
    reject: false,
    deliveryCount: false,
    partitions: "key",
    // A member that comes back within its session timeout is still in the group, with what it had.
    resumes: true,
  };
  readonly #settings: SubscriberSettings;

  constructor(settings: SubscriberSettings) {
    this.#settings = settings;
  }

  async subscribe(source: string, options: SubscribeOptions, sink: Sink): Promise<Subscription> {
    const { window, signal } = options;
    if (!Number.isInteger(window) || window < 1) {
      throw invalidOption("window", window, "an integer ≥ 1");
    }
    requireTopic("source", source);
    signal?.throwIfAborted();
    const settings = this.#settings;
    const subscription = new KafkaSubscription({
      topic: source,
      window,
      settings,
      sink,
      connect: (events) => new KafkajsGroup({ topic: source, settings, events }),
    });
    await subscription.start(signal);
    return subscription;
  }
}
