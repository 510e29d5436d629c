import { setImmediate as turn } from "node:timers/promises";
import { LabError, type PublishFailure } from "@lab/core";
import { messagesFault, toError } from "@lab/core/adapter";
import { encodeProperties } from "./codec/publish-properties.ts";
import type { Hub } from "./hub.ts";
import { InjectError } from "./inject-error.ts";
import { requireMessage } from "./injected-message.ts";
import { Message } from "./message.ts";
import { Reason } from "./reason.ts";
import type { InjectedMessage } from "./types.ts";

/** Messages between two looks at the network, whether in one batch or in many that follow each other in one turn. */
const chunk = 1_000;

/** Publishes for the application: one batch after another. */
export class Injector {
  readonly #hub: Hub;
  #busy = false;
  #last: Promise<void> = Promise.resolve();
  #closed = false;
  /** Messages since the last look. */
  #published = 0;

  constructor(hub: Hub) {
    this.#hub = hub;
  }

  inject(messages: readonly InjectedMessage[]): Promise<void> {
    const wrong = messagesFault(messages);
    if (wrong !== undefined) return Promise.reject(wrong);
    const mine = this.#busy ? this.#last.then(() => this.#run(messages)) : this.#run(messages);
    if (this.#busy) this.#last = mine.catch(() => {}); // Still, or for others.
    return mine;
  }

  close(): void {
    this.#closed = true;
  }

  async #run(messages: readonly InjectedMessage[]): Promise<void> {
    this.#busy = true;
    const failures: PublishFailure[] = [];
    let end = 0;
    for (let start = 0; start < messages.length; start = end) {
      if (this.#published === chunk) {
        await turn(); // For the acknowledgements of what was sent, and for all others.
        this.#published = 0;
      }
      end = Math.min(messages.length, start + chunk - this.#published);
      this.#published += end - start;
      for (let index = start; index < end; index++) {
        try {
          this.#publish(messages[index] as InjectedMessage);
        } catch (error) {
          failures.push({ index, error: toError(error) });
        }
      }
      this.#hub.flush();
      const pressed = this.#hub.pressure.take();
      if (pressed !== undefined) await pressed;
    }
    this.#busy = false;
    if (failures.length > 0) throw new InjectError(messages.length, failures);
  }

  #publish(given: InjectedMessage): void {
    const hub = this.#hub;
    if (this.#closed)
      throw new LabError("CONNECTION_LOST", "The broker is closed. Make a new one.");
    const topic = requireMessage(given, hub.topics, hub.settings.maxPacketSize);
    const { payload, properties, qos = 0, retain = false } = given;
    const text = typeof payload === "string";
    const expiry = properties?.messageExpiryInterval;
    const message = new Message(
      topic,
      text ? Buffer.from(payload) : payload,
      qos,
      retain,
      properties && encodeProperties(properties),
      expiry === undefined ? Number.POSITIVE_INFINITY : Date.now() + expiry * 1_000,
      text,
    );
    if (hub.publish(message, undefined) === Reason.quotaExceeded) {
      const { maxRetainedMessages, maxRetainedBytes } = hub.settings;
      const limits = `${maxRetainedMessages} messages or ${maxRetainedBytes} bytes`;
      throw new LabError(
        "PUBLISH_FAILED",
        `The broker retains ${limits} at most, and has them. Raise the limit, or remove some with an empty payload.`,
      );
    }
    hub.injected++;
  }
}
