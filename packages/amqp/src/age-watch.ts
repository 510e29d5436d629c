import type { Acknowledger } from "./acknowledger.ts";
import { warnOfConsumerTimeout } from "./warnings.ts";

/** Looks so many times in the broker's timeout. A delivery is late when it has been unsettled for half of them. */
const ticksPerTimeout = 20;
const lateAfter = ticksPerTimeout / 2;

/**
 * Warns of messages that stay unsettled for so long that the broker will close the channel. It counts from the delivery,
 * so that waiting for a lane counts as well: about window × mean handler time ÷ lanes.
 */
export class AgeWatch {
  /** For `AmqpDelivery.tick`: cheaper than asking for the time for each message. */
  tick = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(acknowledger: Acknowledger, source: string, consumerTimeout: number) {
    this.#timer = setInterval(() => {
      this.tick++;
      const { oldest } = acknowledger;
      if (oldest === undefined || this.tick - oldest.tick <= lateAfter) return;
      warnOfConsumerTimeout(source, consumerTimeout);
    }, consumerTimeout / ticksPerTimeout).unref();
  }

  end(): void {
    clearInterval(this.#timer);
  }
}
