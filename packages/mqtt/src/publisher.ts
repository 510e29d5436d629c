import {
  LabError,
  type OutgoingMessage,
  type Publisher,
  type PublisherCapabilities,
} from "@lab/core";
import { Batch, messagesFault, toError } from "@lab/core/adapter";
import type { MqttClient } from "mqtt";
import { defaultsFor, makeClient } from "./client.ts";
import { InFlight, InFlightList } from "./in-flight.ts";
import { Link } from "./link.ts";
import { type MqttPublisherOptions, publisherSettings, type Settings } from "./options.ts";
import { tooLarge, unsupported } from "./outgoing.ts";
import { Sender } from "./sender.ts";
import { topicFault } from "./source.ts";

/** How long `close` waits for what is in flight, in ms. */
const closeTimeout = 4_000;

const longestWindow = 65_535;

const notAuthorized = 135;

/**
 * A publisher to MQTT topics. It connects at the first `publish`. The bodies given to `publish` must not change until
 * it has settled. A message that failed with `CONNECTION_LOST` may have arrived all the same.
 * @throws {LabError} `INVALID_OPTION`
 */
export function mqttPublisher(options: MqttPublisherOptions): Publisher {
  return new MqttPublisher(publisherSettings(options));
}

class MqttPublisher implements Publisher {
  readonly capabilities: PublisherCapabilities;
  readonly #settings: Settings<MqttPublisherOptions>;
  readonly #waiting = new Set<Batch>();
  readonly #inFlight = new InFlightList();
  #link: Link | undefined;
  #sender: Sender | undefined;
  /** mqtt.js sends what it is given at once. Until then nothing is given to it, so that all can be taken back. */
  #ready = false;
  #window = 0;
  #sending = false;
  #flushing = false;
  #refill: NodeJS.Immediate | undefined;
  #stall: NodeJS.Timeout | undefined;
  #onIdle: () => void = () => {};
  #ending: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(settings: Settings<MqttPublisherOptions>) {
    this.#settings = settings;
    const carries = settings.protocolVersion === 5;
    this.capabilities = { headers: carries, keys: carries };
  }

  /** Not `async`: a batch is one promise, and batches may be of one message. */
  publish(destination: string, messages: readonly OutgoingMessage[]): Promise<void> {
    const wrong = messagesFault(messages);
    if (wrong !== undefined) return Promise.reject(wrong);
    const batch = new Batch(destination, messages);
    const fault = this.#faultOf(destination);
    if (fault !== undefined) {
      batch.failRest(fault);
    } else if (messages.length > 0) {
      this.#watchStall();
      const sent = this.#waiting.size === 0 && this.#sendBatch(batch);
      if (!sent) this.#waiting.add(batch); // Behind those that wait for room, or for the connection.
      this.#open();
      this.#flushSoon();
      this.#progressed();
    }
    return batch.decided;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    let answers = true;
    const timer = setTimeout(() => {
      answers = false;
      this.#failAll(unconfirmed(`within ${closeTimeout} ms of closing`));
    }, closeTimeout);
    this.#progressed();
    await idle;
    clearTimeout(timer);
    await Promise.all([this.#ending, this.#link?.end(answers)]);
  }

  #faultOf(destination: string): LabError | undefined {
    if (this.#closing !== undefined) {
      return new LabError("PUBLISH_FAILED", "The publisher is closed. Make a new one.");
    }
    const fault = topicFault(destination);
    if (fault === undefined) return undefined;
    const text = `Expected a topic to publish to, got "${destination}": ${fault}.`;
    return new LabError("INVALID_OPTION", text);
  }

  #open(): void {
    if (this.#link !== undefined) return;
    const { connect, protocolVersion, connectTimeout } = this.#settings;
    try {
      const client = makeClient(connect, defaultsFor(protocolVersion, connectTimeout), () => {});
      this.#sender = new Sender(client, this.#settings);
      this.#link = new Link(client, {
        connected: () => {},
        ready: () => this.#becomeReady(client),
        lost: (cause) => this.#lost(cause),
        failed: (error) => this.#failed(error),
      });
    } catch (error) {
      this.#failAll(toError(error));
    }
  }

  #becomeReady(client: MqttClient): void {
    const { receiveMaximum = longestWindow } = client.serverProperties ?? {};
    this.#window = Math.min(this.#settings.window, receiveMaximum);
    this.#ready = true;
    this.#send();
  }

  #lost(cause: LabError): void {
    this.#ready = false;
    if (this.#settings.qos === 0) this.#failSent(cause); // mqtt.js sends only QoS 1 again.
  }

  /** The next publish tries a new client. */
  #failed(error: LabError): void {
    this.#ready = false;
    this.#failAll(error);
    this.#ending = Promise.resolve(this.#link?.end(false));
    this.#link = undefined;
  }

  #send(): void {
    if (this.#sending) return; // QoS 0 is decided from within the loop.
    this.#sending = true;
    for (const batch of this.#waiting) {
      if (!this.#sendBatch(batch)) break;
      this.#waiting.delete(batch);
    }
    this.#flushSoon();
    this.#sending = false;
    this.#progressed();
  }

  /** Together with what else is published in this turn: batches, each for a topic of its own, share a write. */
  #flushSoon(): void {
    if (this.#flushing || this.#sender === undefined) return;
    this.#flushing = true;
    const sender = this.#sender;
    process.nextTick(() => {
      this.#flushing = false;
      sender.flush();
    });
  }

  /** False when there was no room for all. */
  #sendBatch(batch: Batch): boolean {
    while (this.#canSend) {
      const index = batch.take();
      if (index === undefined) return true;
      this.#sendOne(batch, index);
    }
    return false;
  }

  get #canSend(): boolean {
    return this.#ready && this.#inFlight.size < this.#window;
  }

  #sendOne(batch: Batch, index: number): void {
    const { client } = this.#link as Link;
    const { destination } = batch;
    const message = batch.messages[index] as OutgoingMessage;
    const fault =
      unsupported(message, this.capabilities) ??
      tooLarge(destination, message, client.serverProperties?.maximumPacketSize);
    if (fault !== undefined) {
      batch.decide(index, fault);
      return;
    }
    const sent = new InFlight(batch, index, this.#decided);
    this.#inFlight.add(sent);
    (this.#sender as Sender).add(destination, message, sent);
  }

  readonly #decided = (sent: InFlight, error: Error | null | undefined): void => {
    if (!this.#inFlight.delete(sent)) return; // Given up before.
    sent.batch.decide(
      sent.index,
      error == null ? undefined : refusal(sent.batch.destination, error),
    );
    this.#stall?.refresh();
    if (this.#inFlight.size === 0) this.#progressed();
    // The acknowledgements of one read come one by one: what they make room for goes out together.
    if (this.#waiting.size > 0) this.#refill ??= setImmediate(this.#sendMore);
  };

  readonly #sendMore = (): void => {
    this.#refill = undefined;
    this.#send();
  };

  #watchStall(): void {
    const { confirmTimeout } = this.#settings;
    this.#stall ??= setTimeout(() => {
      this.#failAll(unconfirmed(`for ${confirmTimeout} ms`));
    }, confirmTimeout);
  }

  #progressed(): void {
    if (this.#waiting.size > 0 || this.#inFlight.size > 0) return;
    clearTimeout(this.#stall);
    this.#stall = undefined;
    this.#onIdle();
  }

  #failAll(error: Error): void {
    this.#failSent(error);
    for (const batch of this.#waiting) batch.failRest(error);
    this.#waiting.clear();
    this.#progressed();
  }

  #failSent(error: Error): void {
    for (let sent = this.#inFlight.first; sent !== undefined; sent = this.#inFlight.first) {
      this.#inFlight.delete(sent); // First: mqtt.js calls back from within.
      // Or it would send the message again at each reconnect, even one that makes the broker hang up.
      if (sent.packetId !== 0) this.#link?.client.removeOutgoingMessage(sent.packetId);
      sent.batch.decide(sent.index, error);
    }
    this.#progressed();
  }
}

function unconfirmed(when: string): LabError {
  return new LabError(
    "CONNECTION_LOST",
    `The broker has confirmed nothing ${when}. The message may have arrived; publish it again if twice does no harm.`,
  );
}

/** For the broker's own refusal, by reason code (MQTT 5). */
function refusal(topic: string, cause: Error): LabError {
  const { code } = cause as { code?: unknown };
  if (code === notAuthorized) {
    const text = `The broker does not allow this client to publish to "${topic}". Check its permissions.`;
    return new LabError("ACCESS_REFUSED", text, { cause });
  }
  return new LabError("PUBLISH_FAILED", `The broker refuses the message: ${cause.message}.`, {
    cause,
  });
}
