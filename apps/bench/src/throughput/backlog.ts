import { randomBytes } from "node:crypto";
import type { TestSource } from "@lab/contract";
import type { OutgoingMessage, Publisher } from "@lab/core";
import type { BenchRig, NamedRig } from "../brokers.ts";
import type { Site } from "./contender.ts";
import { rewind, uncommitted } from "./kafka-log.ts";

export const bodyBytes = 100;
export const keys = 1_000;

const publishBatch = 1_000;

/** One backlog on one broker, queued anew for each measurement. Disposing it closes its publisher. */
export class Backlog implements AsyncDisposable {
  readonly site: Site;
  readonly #source: TestSource;
  readonly #publisher: Publisher;
  /** Messages stay where they are when they are consumed. */
  readonly #inLog: boolean;
  #messages = 0;

  private constructor(site: Site, source: TestSource, publisher: Publisher, inLog: boolean) {
    this.site = site;
    this.#source = source;
    this.#publisher = publisher;
    this.#inLog = inLog;
  }

  static async create({ name: broker, rig }: NamedRig): Promise<Backlog> {
    const name = `throughput-${randomBytes(4).toString("hex")}`;
    const source = await rig.createSource(name);
    const site: Site = { url: urlOf(rig), name, source: source.source };
    return new Backlog(site, source, await rig.publisher(), broker === "kafka");
  }

  /** Queues messages, all the same but for their keys. Always the same number. */
  async fill(messages: number, signal: AbortSignal): Promise<void> {
    if (this.#inLog && this.#messages === messages) return rewind(this.site);
    const body = new Uint8Array(bodyBytes).fill(120);
    const withKeys = this.#publisher.capabilities.keys;
    const outgoing = (index: number): OutgoingMessage =>
      withKeys ? { body, key: `key-${index % keys}` } : { body };
    for (let from = 0; from < messages; from += publishBatch) {
      signal.throwIfAborted();
      const size = Math.min(publishBatch, messages - from);
      const batch = Array.from({ length: size }, (_, i) => outgoing(from + i));
      await this.#publisher.publish(this.#source.destination, batch);
    }
    this.#messages = messages;
  }

  /** How many messages the broker would still deliver. They are taken out. */
  left(): Promise<number> {
    return this.#inLog ? uncommitted(this.site) : this.#source.purge();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#publisher.close();
  }
}

function urlOf({ url, broker }: BenchRig): string {
  if (url === undefined) throw new Error(`${broker} cannot be reached from another process.`);
  return url;
}
