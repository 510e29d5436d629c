import { setTimeout as sleep } from "node:timers/promises";
import type { Channel } from "amqplib";

/** How often to ask the broker, in ms. */
const betweenLooks = 25;

/** How long a consumer that was asked for may take to be there, in ms. */
const longestDelay = 5_000;

/**
 * The consumer that a subscription has lost, for as long as the broker has not noticed. It still holds what it was handed,
 * so a new consumer would be handed the messages behind that first, of the same keys too.
 *
 * Brokers tell how many consumers a queue has, not which. Only a subscription that was alone there knows that the one
 * which is counted is its own.
 */
export class LostConsumer {
  readonly #patience: number;
  #alone = false;
  #asked = false;
  #inHand = false;

  /** Waits for `patience` ms at most. */
  constructor(patience: number) {
    this.#patience = patience;
  }

  /** A consumer is asked for. Until it is `there`, a queue that is slow may still be about to give it messages. */
  asked(): void {
    this.#asked = true;
  }

  there(): void {
    this.#asked = false;
  }

  /** It is lost. `inHand`: it had messages that the queue has to take back. */
  ended(inHand: boolean): void {
    this.#inHand = inHand;
  }

  /** Checks that the queue exists, and waits until the lost consumer has gone. `waits` is called at each look that it has not. */
  async gone(channel: Channel, queue: string, waits: () => void): Promise<void> {
    const since = performance.now();
    for (;;) {
      const { consumerCount, messageCount } = await channel.checkQueue(queue);
      const waited = performance.now() - since;
      if (consumerCount > 0 || waited >= longestDelay) this.#asked = false;
      // RabbitMQ says 0 and 0 of a quorum queue that does not answer, too.
      const unknown = this.#inHand && messageCount === 0;
      const gone = consumerCount === 0 && !unknown && !this.#asked;
      if (gone || waited >= this.#patience) this.#alone = consumerCount === 0;
      if (gone || !this.#alone || waited >= this.#patience) break;
      waits();
      await sleep(betweenLooks);
    }
    this.#inHand = false;
  }
}
