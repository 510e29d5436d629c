import { setTimeout as sleep } from "node:timers/promises";
import { kafkaPublisher } from "@lab/kafka";
import type { Kafka } from "kafkajs";

/** So many messages wait to be handled, at least, while faults are worked. */
const ahead = 10_000;
const batch = 2_000;

export interface WorkOptions {
  readonly kafka: Kafka;
  readonly topic: string;
  readonly keys: number;
  readonly handled: () => number;
}

/** Publishes, so that there is always something to do. Each key's messages carry the numbers 0, 1, 2 … */
export class Work {
  readonly #options: WorkOptions;
  readonly #running: Promise<void>;
  #published = 0;
  #least = Number.POSITIVE_INFINITY;

  constructor(options: WorkOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Publishes up to `least` messages, if it has not published more, and no more. Returns how many there are. */
  async finish(least: number): Promise<number> {
    this.#least = least;
    await this.#running;
    return this.#published;
  }

  async #run(): Promise<void> {
    const { kafka, topic, handled } = this.#options;
    const publisher = kafkaPublisher({ kafka });
    while (this.#published < this.#least) {
      if (this.#published > handled() + ahead) {
        await sleep(20);
        continue;
      }
      await publisher.publish(
        topic,
        Array.from({ length: batch }, (_, i) => this.#message(i)),
      );
      this.#published += batch;
    }
    await publisher.close();
  }

  #message(i: number): { key: string; body: Uint8Array } {
    const { keys } = this.#options;
    const number = this.#published + i;
    const body = Buffer.alloc(8);
    body.writeUInt32LE(number % keys, 0);
    body.writeUInt32LE(Math.floor(number / keys), 4);
    return { key: `key-${number % keys}`, body };
  }
}
