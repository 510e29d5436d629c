import type {
  Sink,
  SubscribeOptions,
  Subscriber,
  SubscriberCapabilities,
  Subscription,
} from "@lab/core";
import { invalidOption } from "@lab/core/adapter";
import type { MqttClient } from "mqtt";
import { defaultsFor, makeClient, requireOption } from "./client.ts";
import {
  type MqttDefaults,
  type MqttSubscriberOptions,
  type Settings,
  subscriberSettings,
} from "./options.ts";
import { isShared, requireTopicFilter } from "./source.ts";
import { MqttSubscription } from "./subscription.ts";
import { warnOfSharedOrder } from "./warnings.ts";

/** How long the broker keeps a session that nobody is connected to, in seconds: a week. */
const sessionExpiryInterval = 604_800;

/**
 * A subscriber of MQTT topics. Its source is a topic filter or `$share/group/filter`.
 * @throws {LabError} `INVALID_OPTION`
 */
export function mqttSubscriber(options: MqttSubscriberOptions): Subscriber {
  return new MqttSubscriber(subscriberSettings(options));
}

class MqttSubscriber implements Subscriber {
  readonly capabilities: SubscriberCapabilities;
  readonly #settings: Settings<MqttSubscriberOptions>;

  constructor(settings: Settings<MqttSubscriberOptions>) {
    this.#settings = settings;
    this.capabilities = {
      settles: settings.settleOrder === "received" ? "in-order" : "individually",
      nack: false,
      reject: false,
      deliveryCount: false,
      partitions: "none",
      resumes: settings.persistent,
    };
  }

  async subscribe(source: string, options: SubscribeOptions, sink: Sink): Promise<Subscription> {
    const { window, signal } = options;
    if (!Number.isInteger(window) || window < 1) {
      throw invalidOption("window", window, "an integer ≥ 1");
    }
    requireTopicFilter(source);
    if (isShared(source)) warnOfSharedOrder(source);
    signal?.throwIfAborted();
    const { connect } = this.#settings;
    const client = makeClient(connect, this.#defaults(window), (made) => this.#check(made));
    const subscription = new MqttSubscription(client, source, window, this.#settings, sink);
    await subscription.start(signal);
    return subscription;
  }

  #defaults(window: number): MqttDefaults {
    const { protocolVersion, persistent, connectTimeout } = this.#settings;
    const defaults: MqttDefaults = {
      ...defaultsFor(protocolVersion, connectTimeout),
      clean: !persistent,
      resubscribe: false, // mqtt.js does not tell when the broker refuses it.
    };
    if (protocolVersion === 4) return defaults;
    const properties = {
      receiveMaximum: Math.min(window, 65_535),
      ...(persistent ? { sessionExpiryInterval } : {}),
    };
    return { ...defaults, properties };
  }

  #check({ options }: MqttClient): void {
    const { persistent, protocolVersion } = this.#settings;
    requireOption("clean", options.clean, !persistent, "Give `persistent` to @lab/mqtt instead.");
    requireOption("resubscribe", options.resubscribe, false, "Leave it out.");
    if (persistent && protocolVersion === 5 && !options.properties?.sessionExpiryInterval) {
      throw invalidOption(
        "properties.sessionExpiryInterval",
        options.properties?.sessionExpiryInterval,
        "a number of seconds above 0",
        "Without it the broker drops the session at every cut. " +
          "Keep the defaults: properties: { ...defaults.properties, … }.",
      );
    }
  }
}
