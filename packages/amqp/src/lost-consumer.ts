import { setTimeout as sleep } from "node:timers/promises";
import type { Channel } from "amqplib";

/** How often to ask the broker, in ms. */
const betweenLooks = 25;

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

  /** Waits for `patience` ms at most. */
  constructor(patience: number) {
    this.#patience = patience;
  }

  /** Checks that the queue exists, and waits until the lost consumer has gone. `waits` is called at each look that it has not. */
  async gone(channel: Channel, queue: string, waits: () => void): Promise<void> {
    const deadline = performance.now() + this.#patience;
    for (;;) {
      const { consumerCount } = await channel.checkQueue(queue);
      if (consumerCount === 0 || performance.now() >= deadline) this.#alone = consumerCount === 0;
      if (consumerCount === 0 || !this.#alone) return;
      waits();
      await sleep(betweenLooks);
    }
  }
}
