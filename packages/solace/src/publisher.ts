import {
  LabError,
  type OutgoingMessage,
  type Publisher,
  type PublisherCapabilities,
} from "@lab/core";
import { Batch } from "@lab/core/adapter";
import {
  type PublisherSettings,
  publisherSettings,
  requireEndpointName,
  type SolacePublisherOptions,
} from "./options.ts";
import { Outlet } from "./outlet.ts";
import { topicDestination } from "./topic.ts";

/** How long `close` waits for what is in flight, in ms. */
const closeTimeout = 4_000;

/**
 * A publisher of guaranteed messages to topics, or to queues. It connects at the first `publish`, with a session of its own.
 * The bodies given to `publish` must not change until it has settled. What is in flight when the connection is lost is sent
 * again by the client, once; a message that failed with `CONNECTION_LOST` may have arrived all the same.
 * @throws {LabError} `INVALID_OPTION`
 */
export function solacePublisher(options: SolacePublisherOptions): Publisher {
  return new SolacePublisher(publisherSettings(options));
}

class SolacePublisher implements Publisher {
  readonly capabilities: PublisherCapabilities = { headers: true, keys: true };
  readonly #settings: PublisherSettings;
  readonly #waiting = new Set<Batch>();
  /** Taken from its batch, and not sent for want of room. */
  #held: { readonly batch: Batch; readonly index: number } | undefined;
  /** Where messages go out, or will once it is connected. */
  #outlet: Outlet | undefined;
  #connecting: Promise<void> = Promise.resolve();
  #sending = false;
  #ending: Promise<unknown> = Promise.resolve();
  #stall: NodeJS.Timeout | undefined;
  #onIdle: () => void = () => {};
  #closing: Promise<void> | undefined;

  constructor(settings: PublisherSettings) {
    this.#settings = settings;
  }

  async publish(destination: string, messages: readonly OutgoingMessage[]): Promise<void> {
    const batch = new Batch(destination, messages);
    const fault = this.#faultOf(destination);
    if (fault !== undefined) {
      batch.failRest(fault);
    } else if (messages.length > 0) {
      this.#waiting.add(batch);
      this.#watchStall();
      this.#send();
    }
    await batch.decided;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    const timer = setTimeout(
      () => this.#giveUp(unconfirmed(`within ${closeTimeout} ms of closing`)),
      closeTimeout,
    );
    this.#rest();
    await idle;
    clearTimeout(timer);
    await this.#outlet?.close();
    await Promise.all([this.#connecting, this.#ending]);
  }

  #faultOf(destination: string): LabError | undefined {
    if (this.#closing !== undefined) {
      return new LabError("PUBLISH_FAILED", "The publisher is closed. Make a new one.");
    }
    try {
      if (this.#settings.destination === "queue") requireEndpointName("destination", destination);
      else topicDestination(this.#settings.solace, "destination", destination);
      return undefined;
    } catch (error) {
      return error as LabError;
    }
  }

  /** Sends what there is room for. Connects first, where there is no session. */
  #send(): void {
    if (this.#sending) return; // The client may answer from within.
    const outlet = this.#outlet;
    if (outlet === undefined) {
      if (this.#waiting.size > 0) this.#connecting = this.#connect();
      return;
    }
    this.#sending = true;
    while (outlet === this.#outlet && outlet.canSend && this.#sendNext(outlet));
    this.#sending = false;
    this.#rest();
  }

  /** False when there is nothing to send, or no room. */
  #sendNext(outlet: Outlet): boolean {
    const next = this.#held ?? this.#next();
    if (next === undefined) return false;
    this.#held = outlet.send(next.batch, next.index) ? undefined : next;
    return this.#held === undefined;
  }

  #next(): { readonly batch: Batch; readonly index: number } | undefined {
    for (const batch of this.#waiting) {
      const index = batch.take();
      if (index !== undefined) return { batch, index };
      this.#waiting.delete(batch);
    }
    return undefined;
  }

  /** Tries once: from then on the session restores its connection by itself. */
  async #connect(): Promise<void> {
    const outlet = new Outlet(this.#settings, this.capabilities, {
      ready: () => this.#send(),
      progress: () => {
        this.#stall?.refresh();
        this.#send();
      },
      lost: (cause) => this.#lost(cause),
    });
    this.#outlet = outlet;
    try {
      await outlet.open();
    } catch (error) {
      this.#await(outlet.destroy(error as LabError));
      if (this.#outlet === outlet) this.#outlet = undefined;
      this.#failAll(error as LabError);
      return;
    }
    this.#send();
  }

  /** Later messages of a batch must not overtake those that have failed, should those be published again. */
  #lost(cause: LabError): void {
    this.#drop((outlet) => outlet.close(), cause);
    this.#send();
  }

  #giveUp(error: LabError): void {
    this.#drop((outlet) => outlet.destroy(error), error);
    this.#failAll(error);
  }

  /** Nobody will learn what becomes of what is in flight. */
  #drop(end: (outlet: Outlet) => Promise<void>, error: LabError): void {
    const outlet = this.#outlet;
    if (outlet === undefined) return;
    this.#outlet = undefined;
    const held = this.#held === undefined ? [] : [this.#held];
    this.#held = undefined;
    for (const { batch, index } of [...outlet.takeInFlight(), ...held]) {
      batch.decide(index, error);
      batch.failRest(error);
      this.#waiting.delete(batch);
    }
    this.#await(end(outlet));
    this.#rest();
  }

  /** Before the publisher is closed. */
  #await(end: Promise<void>): void {
    this.#ending = Promise.all([this.#ending, end]);
  }

  #failAll(error: LabError): void {
    for (const batch of this.#waiting) batch.failRest(error);
    this.#waiting.clear();
    this.#rest();
  }

  #watchStall(): void {
    const { confirmTimeout } = this.#settings;
    this.#stall ??= setTimeout(() => {
      this.#stall = undefined;
      this.#giveUp(unconfirmed(`for ${confirmTimeout} ms`, this.#outlet?.trouble));
    }, confirmTimeout);
  }

  #rest(): void {
    if (this.#waiting.size > 0 || this.#held || (this.#outlet?.inFlight ?? 0) > 0) return;
    clearTimeout(this.#stall);
    this.#stall = undefined;
    this.#onIdle();
  }
}

function unconfirmed(when: string, why?: string): LabError {
  return new LabError(
    "CONNECTION_LOST",
    `The broker has confirmed nothing ${when}${why === undefined ? "" : ` (${why})`}. ` +
      "The message may have arrived; publish it again if twice does no harm.",
  );
}
