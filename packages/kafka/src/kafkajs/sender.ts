import { LabError } from "@lab/core";
import { toError, within } from "@lab/core/adapter";
import type { Cluster, Producer } from "kafkajs";
import type { PublisherSettings } from "../options.ts";
import type { OutgoingRecord } from "../outgoing.ts";
import { chosenOnce } from "./partitioner.ts";
import { faultOf, protocolError } from "./refusal.ts";
import { cutUntil, telling } from "./sockets.ts";

/**
 * How often kafkajs tries a send again by itself: until the sender is closed, as of an idempotent producer it wants to
 * be told. All values given: its defaults depend on NODE_ENV.
 */
const retry = {
  initialRetryTime: 100,
  multiplier: 2,
  factor: 0.2,
  maxRetryTime: 2_000,
  retries: Number.MAX_SAFE_INTEGER,
};

/** How long `close` waits for kafkajs, in ms, before it cuts the connections. */
const closeTimeout = 3_000;
/** And how long for that. */
const cutTimeout = 1_000;

/** Errors of a whole batch for what one record in it may be to blame. */
const ofOneRecord = ["MESSAGE_TOO_LARGE", "RECORD_LIST_TOO_LARGE", "INVALID_RECORD"];

/** A record of the batch is to blame: send them in smaller batches. */
export class BadRecord extends LabError {}

/** What ends kafkajs's retries. */
class Closed extends Error {
  readonly retriable = false;
}

/** A producer of kafkajs. */
export class KafkajsSender {
  readonly #settings: PublisherSettings;
  readonly #producer: Producer;
  readonly #topics = new Set<string>();
  #cluster: Cluster | undefined;
  #connecting: Promise<void> | undefined;
  #sending: Promise<unknown> | undefined;
  #connected = false;
  #spent = false;
  #closed = false;

  constructor(settings: PublisherSettings) {
    this.#settings = settings;
    const { createPartitioner, ...producer } = settings.producer;
    const kafka = telling(settings.kafka, (cluster) => {
      this.#cluster = cluster;
    });
    this.#producer = kafka.producer({
      idempotent: true,
      ...producer,
      createPartitioner: chosenOnce(createPartitioner, () => {
        if (this.#closed) throw new Closed("The publisher has given these messages up");
      }),
      allowAutoTopicCreation: false,
      retry,
    });
  }

  /** False until it has been. It cannot be, when `send` has failed before: then it is of no more use. */
  get connected(): boolean {
    return this.#connected;
  }

  /**
   * It is of no more use: a send has failed. kafkajs gives the sequence numbers of what it has sent in vain to what comes
   * next, and brokers that have the former take the latter for a repetition, confirm it, and drop it.
   */
  get spent(): boolean {
    return this.#spent;
  }

  /**
   * Resolves when all are confirmed. One at a time.
   * @throws {LabError} none may count as confirmed; and yet they may have arrived when it is `CONNECTION_LOST`
   */
  async send(topic: string, records: readonly OutgoingRecord[]): Promise<void> {
    await this.#ready(topic);
    try {
      let left = records;
      while (left.length > 0) left = await this.#attempt(topic, left);
    } catch (thrown) {
      const failure = this.#failure(topic, thrown);
      this.#spent = !(failure instanceof BadRecord);
      throw failure;
    }
  }

  /**
   * Returns those that are not confirmed: where a partition's leader has changed to a broker that has already answered,
   * kafkajs sends it nothing more, and says that all is well.
   */
  async #attempt(
    topic: string,
    records: readonly OutgoingRecord[],
  ): Promise<readonly OutgoingRecord[]> {
    const { compression } = this.#settings;
    const sending = this.#producer.send({ topic, messages: [...records], compression, acks: -1 });
    this.#sending = sending
      .catch(() => {})
      .then(() => {
        this.#sending = undefined;
      });
    const answers = await sending;
    const confirmed = new Set(answers.map(({ partition }) => partition));
    const left = records.filter(({ partition }) => !confirmed.has(partition as number));
    if (left.length === records.length) throw new Error("kafkajs has no answer for any of them");
    return left;
  }

  /** Never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    const sending = this.#sending;
    const gone = this.#leave(sending);
    // What is still being sent has been given up: there is nothing to wait for.
    if (sending === undefined) await within(closeTimeout, gone);
    await within(
      cutTimeout,
      cutUntil(gone, () => this.#cluster),
    );
  }

  async #leave(sending: Promise<unknown> | undefined): Promise<void> {
    const disconnect = () => this.#producer.disconnect().catch(() => {});
    await this.#connecting?.catch(() => {});
    await disconnect();
    if (sending === undefined) return;
    await sending; // In which it may have connected again.
    await disconnect();
  }

  /** kafkajs would look for a missing topic as often as it tries anything again. */
  async #ready(topic: string): Promise<void> {
    try {
      this.#connecting ??= this.#producer.connect();
      await this.#connecting;
      this.#connected = true;
      if (!this.#topics.has(topic)) await this.#find(topic);
    } catch (thrown) {
      throw faultOf(thrown, { topic }).error;
    }
  }

  async #find(topic: string): Promise<void> {
    const admin = this.#settings.kafka.admin();
    try {
      await admin.connect();
      await admin.fetchTopicMetadata({ topics: [topic] });
      this.#topics.add(topic);
    } finally {
      await admin.disconnect();
    }
  }

  #failure(topic: string, thrown: unknown): LabError {
    const cause = toError(thrown);
    const type = protocolError(cause);
    if (type !== undefined && ofOneRecord.includes(type)) {
      const text = `Kafka refuses a message for topic "${topic}": ${cause.message}. Change it, or the topic's settings.`;
      return new BadRecord("UNSUPPORTED_MESSAGE", text, { cause });
    }
    if (cause.name === "KafkaJSNotImplemented") {
      const text = `${cause.message}: register a codec for \`compression\` with kafkajs, CompressionCodecs[…] = ….`;
      return new LabError("INVALID_OPTION", text, { cause });
    }
    const fault = faultOf(cause, { topic });
    if (fault.kind === "final") return fault.error;
    const text =
      `The brokers have not confirmed messages for topic "${topic}": ${cause.message}. ` +
      "They may have arrived; publish them again if twice does no harm.";
    return new LabError("CONNECTION_LOST", text, { cause });
  }
}
