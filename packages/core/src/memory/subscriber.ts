import { setImmediate as turn } from "node:timers/promises";
import { requireWindow } from "../adapter/window.ts";
import type {
  Sink,
  SubscribeOptions,
  Subscriber,
  SubscriberCapabilities,
  Subscription,
} from "../ports.ts";
import type { BrokerAccess } from "./access.ts";
import { MemorySubscription } from "./subscription.ts";

export class MemorySubscriber implements Subscriber {
  readonly capabilities: SubscriberCapabilities = {
    settles: "individually",
    nack: true,
    reject: true,
    deliveryCount: true,
    partitions: "none",
    resumes: false,
  };
  readonly #access: BrokerAccess;

  constructor(access: BrokerAccess) {
    this.#access = access;
  }

  async subscribe(source: string, options: SubscribeOptions, sink: Sink): Promise<Subscription> {
    const { window, signal } = options;
    requireWindow(window);
    signal?.throwIfAborted();
    sink.connection("connecting");
    await turn(); // As over a network: the answer does not come at once.
    signal?.throwIfAborted();
    return new MemorySubscription(this.#access, this.#access.open(source), window, sink);
  }
}
