import {
  LabError,
  type OutgoingMessage,
  type Publisher,
  type PublisherCapabilities,
} from "@lab/core";
import { Batch } from "@lab/core/adapter";
import { BadRecord, KafkajsSender } from "./kafkajs/sender.ts";
import {
  type KafkaPublisherOptions,
  type PublisherSettings,
  publisherSettings,
} from "./options.ts";
import { batchOverhead, recordOf, sizeOf, unsupported } from "./outgoing.ts";
import { divided, type Next, type Sent } from "./sent.ts";
import { topicFault } from "./topic.ts";

/** How long `close` waits for what is in flight, in ms. */
const closeTimeout = 5_000;

/**
 * A publisher to Kafka topics. It connects at the first `publish`. One batch is under way at a time, so that messages
 * stay in order when the client sends again; what is published meanwhile goes into the next. What is sent again is
 * written once (the producer is idempotent), but a message that failed with `CONNECTION_LOST` may have arrived. The
 * bodies given to `publish` must not change until it has settled.
 * @throws {LabError} `INVALID_OPTION`
 */
export function kafkaPublisher(options: KafkaPublisherOptions): Publisher {
  return new KafkaPublisher(publisherSettings(options));
}

class KafkaPublisher implements Publisher {
  readonly capabilities: PublisherCapabilities = { headers: true, keys: true };
  readonly #settings: PublisherSettings;
  readonly #waiting = new Set<Batch>();
  readonly #underWay = new Set<Sent>();
  /** Taken from its batch, and too large to go with what was taken before. */
  #leftOver: Next | undefined;
  #sending = false;
  #sender: KafkajsSender | undefined;
  #stall: NodeJS.Timeout | undefined;
  #onIdle: () => void = () => {};
  #ending: Promise<void> = Promise.resolve();
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
      if (!this.#sending) void this.#send();
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
    this.#progressed();
    await idle;
    clearTimeout(timer);
    await Promise.all([this.#ending, this.#sender?.close()]);
  }

  #faultOf(destination: string): LabError | undefined {
    if (this.#closing !== undefined) {
      return new LabError("PUBLISH_FAILED", "The publisher is closed. Make a new one.");
    }
    const fault = topicFault(destination);
    if (fault === undefined) return undefined;
    const text = `Expected the name of a topic to publish to, got "${destination}": ${fault}.`;
    return new LabError("INVALID_OPTION", text);
  }

  async #send(): Promise<void> {
    this.#sending = true;
    for (let sent = this.#take(); sent.length > 0; sent = this.#take()) {
      this.#sender ??= new KafkajsSender(this.#settings);
      const sender = this.#sender;
      await this.#sendAll(sender, sent);
      if (this.#sender !== sender) return; // Given up meanwhile.
      if (sender.spent) this.#retire();
    }
    this.#sending = false;
  }

  /** As many of the messages that have waited longest, all for one topic, as go into one batch. */
  #take(): Sent[] {
    const taken: Sent[] = [];
    let room = this.#settings.maxMessageBytes - batchOverhead;
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const { batch, index } = next;
      const { destination } = batch;
      const message = batch.messages[index] as OutgoingMessage;
      const fault = unsupported(message, this.capabilities, this.#settings.maxMessageBytes);
      if (fault !== undefined) {
        batch.decide(index, fault);
        continue;
      }
      room -= sizeOf(message);
      const first = taken[0];
      if (first !== undefined && (room < 0 || destination !== first.batch.destination)) {
        this.#leftOver = next;
        break;
      }
      const sent = { batch, index, record: recordOf(message) };
      taken.push(sent);
      this.#underWay.add(sent);
    }
    this.#progressed();
    return taken;
  }

  #next(): Next | undefined {
    const leftOver = this.#leftOver;
    this.#leftOver = undefined;
    if (leftOver !== undefined) return leftOver;
    for (const batch of this.#waiting) {
      const index = batch.take();
      if (index !== undefined) return { batch, index };
      this.#waiting.delete(batch);
    }
    return undefined;
  }

  /** Where one of several is to blame, it is found by dividing them. */
  async #sendAll(sender: KafkajsSender, sent: readonly Sent[]): Promise<void> {
    const parts = [sent];
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      const failure = await send(sender, part);
      if (this.#sender !== sender) return; // Given up meanwhile.
      if (failure instanceof BadRecord && part.length > 1) {
        parts.unshift(...divided(part));
        continue;
      }
      let failed = part;
      if (failure !== undefined && !(failure instanceof BadRecord)) {
        failed = [...part, ...parts.splice(0).flat()];
        this.#failBehind(failed, failure);
      }
      for (const one of failed) this.#decided(one, failure);
      if (failure !== undefined && !sender.connected) this.#giveUp(failure);
      this.#progressed();
    }
  }

  /** What comes behind them in the same `publish` has failed too, so that all can be published again in order. */
  #failBehind(sent: readonly Sent[], failure: LabError): void {
    const leftOver = this.#leftOver;
    for (const batch of new Set(sent.map((one) => one.batch))) {
      if (leftOver?.batch === batch) {
        batch.decide(leftOver.index, failure);
        this.#leftOver = undefined;
      }
      batch.failRest(failure);
    }
  }

  #decided(sent: Sent, error: LabError | undefined): void {
    if (!this.#underWay.delete(sent)) return;
    this.#stall?.refresh();
    sent.batch.decide(sent.index, error);
  }

  #watchStall(): void {
    const { confirmTimeout } = this.#settings;
    this.#stall ??= setTimeout(
      () => this.#giveUp(unconfirmed(`for ${confirmTimeout} ms`)),
      confirmTimeout,
    );
  }

  #progressed(): void {
    const left = this.#waiting.size + this.#underWay.size + (this.#leftOver === undefined ? 0 : 1);
    if (left > 0) return;
    clearTimeout(this.#stall);
    this.#stall = undefined;
    this.#onIdle();
  }

  /** What is sent next goes over new connections. */
  #retire(): void {
    this.#ending = Promise.all([this.#ending, this.#sender?.close()]).then(() => {});
    this.#sender = undefined;
  }

  /** Everything has failed. */
  #giveUp(error: Error): void {
    this.#retire();
    this.#sending = false;
    const sent = [...this.#underWay, ...(this.#leftOver === undefined ? [] : [this.#leftOver])];
    this.#underWay.clear();
    this.#leftOver = undefined;
    for (const { batch, index } of sent) batch.decide(index, error);
    for (const batch of this.#waiting) batch.failRest(error);
    this.#waiting.clear();
    this.#progressed();
  }
}

/** Returns why they have failed. */
async function send(sender: KafkajsSender, part: readonly Sent[]): Promise<LabError | undefined> {
  try {
    const topic = part[0]?.batch.destination as string;
    await sender.send(
      topic,
      part.map(({ record }) => record),
    );
    return undefined;
  } catch (thrown) {
    return thrown as LabError;
  }
}

function unconfirmed(when: string): LabError {
  return new LabError(
    "CONNECTION_LOST",
    `The brokers have confirmed nothing ${when}. The message may have arrived; publish it again if twice does no harm.`,
  );
}
