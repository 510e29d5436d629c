import { setTimeout as sleep } from "node:timers/promises";
import {
  LabError,
  type OutgoingMessage,
  type Publisher,
  type PublisherCapabilities,
} from "@lab/core";
import { Backoff, Batch, invalidOption } from "@lab/core/adapter";
import { Hosts } from "./hosts.ts";
import { type AmqpPublisherOptions, type PublisherSettings, publisherSettings } from "./options.ts";
import { Outlet } from "./outlet.ts";

/** How long `close` waits for what is in flight, in ms. */
const closeTimeout = 5_000;

/**
 * A publisher to queues, or to an exchange. It connects at the first `publish`, with a connection of its own. The bodies
 * given to `publish` must not change until it has settled. When the connection is lost, the batches under way fail from
 * their first unconfirmed message on, so that they can be published again in order; those that nothing was sent of wait.
 * @throws {LabError} `INVALID_OPTION`
 */
export function amqpPublisher(options: AmqpPublisherOptions): Publisher {
  return new AmqpPublisher(publisherSettings(options));
}

class AmqpPublisher implements Publisher {
  readonly capabilities: PublisherCapabilities = { headers: true, keys: true };
  readonly #settings: PublisherSettings;
  readonly #hosts: Hosts;
  readonly #backoff: Backoff;
  readonly #waiting = new Set<Batch>();
  /** Aborts when there is no more to publish. */
  readonly #over = new AbortController();
  /** Where messages go out, or will once it is connected. */
  #outlet: Outlet | undefined;
  #connecting: Promise<void> = Promise.resolve();
  #ending: Promise<void> = Promise.resolve();
  #trouble: string | undefined;
  #stall: NodeJS.Timeout | undefined;
  #onIdle: () => void = () => {};
  #closing: Promise<void> | undefined;

  constructor(settings: PublisherSettings) {
    this.#settings = settings;
    this.#hosts = new Hosts(settings.connects);
    this.#backoff = new Backoff({ ...settings.backoff, jitter: 0.5 });
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
    this.#over.abort();
    await this.#outlet?.close();
    await Promise.all([this.#connecting, this.#ending]);
  }

  #faultOf(destination: string): LabError | undefined {
    if (this.#closing !== undefined) {
      return new LabError("PUBLISH_FAILED", "The publisher is closed. Make a new one.");
    }
    const fits = typeof destination === "string" && Buffer.byteLength(destination) <= 255;
    if (fits && (destination !== "" || this.#settings.exchange !== "")) return undefined;
    const what = this.#settings.exchange === "" ? "the name of a queue" : "a routing key";
    return invalidOption("destination", destination, `${what} of at most 255 bytes`);
  }

  /** Sends what there is room for. Connects first, where there is no connection. */
  #send(): void {
    const outlet = this.#outlet;
    if (outlet === undefined) {
      if (this.#waiting.size > 0) this.#connecting = this.#connect();
      return;
    }
    for (const batch of this.#waiting) {
      if (!outlet.canSend) break;
      this.#sendBatch(outlet, batch);
    }
    this.#rest();
  }

  #sendBatch(outlet: Outlet, batch: Batch): void {
    while (outlet.canSend) {
      const index = batch.take();
      if (index === undefined) {
        this.#waiting.delete(batch);
        return;
      }
      outlet.send(batch, index);
    }
  }

  /** Where there was a connection before, it is tried for as long as anything waits. */
  async #connect(): Promise<void> {
    let outlet: Outlet | undefined;
    const wanted = (): boolean => this.#outlet === outlet && this.#waiting.size > 0;
    for (;;) {
      try {
        await this.#hosts.open((connect) => {
          outlet = this.#newOutlet();
          this.#outlet = outlet;
          return outlet.open(connect);
        }, wanted);
        break;
      } catch (thrown) {
        const error = thrown as LabError;
        this.#trouble = error.message;
        if (this.#hosts.established && error.code === "BROKER_UNREACHABLE") {
          await this.#pause();
          if (wanted()) continue;
        }
        if (this.#outlet !== outlet) return; // Given up meanwhile.
        this.#outlet = undefined;
        this.#failAll(error);
        return;
      }
    }
    this.#backoff.reset();
    this.#send();
  }

  #newOutlet(): Outlet {
    return new Outlet(this.#settings, this.capabilities, {
      ready: () => this.#send(),
      progress: () => {
        this.#stall?.refresh();
        this.#send();
      },
      lost: (cause) => this.#lost(cause),
    });
  }

  /** Later messages of a batch must not overtake those that have failed, should those be published again. */
  #lost(cause: LabError): void {
    this.#drop((outlet) => outlet.close(), cause);
    this.#send();
  }

  #giveUp(error: LabError): void {
    this.#drop(async (outlet) => outlet.destroy(error), error);
    this.#failAll(error);
  }

  /** Nobody will learn what becomes of what is in flight. */
  #drop(end: (outlet: Outlet) => Promise<void>, error: LabError): void {
    const outlet = this.#outlet;
    if (outlet === undefined) return;
    this.#outlet = undefined;
    for (const { batch, index } of outlet.takeInFlight()) {
      batch.decide(index, error);
      batch.failRest(error);
      this.#waiting.delete(batch);
    }
    this.#ending = Promise.all([this.#ending, end(outlet)]).then(() => {});
    this.#rest();
  }

  #failAll(error: LabError): void {
    for (const batch of this.#waiting) batch.failRest(error);
    this.#waiting.clear();
    this.#rest();
  }

  async #pause(): Promise<void> {
    const { signal } = this.#over;
    await sleep(this.#backoff.next(), undefined, { signal }).catch(() => {});
  }

  #watchStall(): void {
    const { confirmTimeout } = this.#settings;
    this.#stall ??= setTimeout(() => {
      this.#stall = undefined;
      this.#giveUp(unconfirmed(`for ${confirmTimeout} ms`, this.#outlet?.blocked ?? this.#trouble));
    }, confirmTimeout);
  }

  #rest(): void {
    if (this.#waiting.size > 0 || (this.#outlet?.inFlight ?? 0) > 0) return;
    clearTimeout(this.#stall);
    this.#stall = undefined;
    this.#trouble = undefined;
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
