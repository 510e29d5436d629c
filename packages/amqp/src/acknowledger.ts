import type { Channel, Message } from "amqplib";
import type { AmqpDelivery } from "./delivery.ts";

/** How long an acknowledgement waits for others in `multiple` mode, in ms; twice as long behind one that is unsettled. */
const longestWait = 20;

/**
 * Sends the acknowledgements of one channel. What is settled up to the oldest unsettled delivery goes out as one frame;
 * what is settled beyond it one by one: in `single` mode in the same turn, in `multiple` mode only if the next round finds
 * it there still, as until then the frame for all has mostly caught up.
 */
export class Acknowledger {
  readonly #channel: Channel;
  readonly #mode: "single" | "multiple";
  readonly #onError: (thrown: unknown) => void;
  /** Those the broker waits for, in the order received. */
  #first: AmqpDelivery | undefined;
  #last: AmqpDelivery | undefined;
  /** Settled since the last round. */
  #due: AmqpDelivery[] = [];
  /** Left over from the last round. */
  #left: AmqpDelivery[] = [];
  readonly #enough: number;
  readonly #frame = { fields: { deliveryTag: 0 } } as Message;
  #scheduled = false;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;
  /** When an acknowledgement was last sent, by `performance.now()`. */
  lastSent: number = Number.NEGATIVE_INFINITY;

  /** `onError` is called when the channel does not take an acknowledgement. */
  constructor(
    channel: Channel,
    window: number,
    mode: "single" | "multiple",
    onError: (thrown: unknown) => void,
  ) {
    this.#channel = channel;
    this.#mode = mode;
    this.#onError = onError;
    this.#enough = mode === "single" ? 1 : Math.max(1, Math.floor(window / 4));
  }

  /** The oldest that is unsettled, or not told. */
  get oldest(): AmqpDelivery | undefined {
    return this.#first;
  }

  received(delivery: AmqpDelivery): void {
    delivery.previous = this.#last;
    if (this.#last === undefined) this.#first = delivery;
    else this.#last.next = delivery;
    this.#last = delivery;
  }

  acked(delivery: AmqpDelivery): void {
    delivery.acked = true;
    this.#due.push(delivery);
    if (this.#due.length >= this.#enough) this.#flushSoon();
    else this.#flushLater();
  }

  /** Not acknowledged, but done with: sent at once. */
  nacked(delivery: AmqpDelivery, requeue: boolean): void {
    this.#channel.nack(this.#tagged(delivery.tag), false, requeue);
    this.#remove(delivery);
  }

  /** Sends everything that is settled. */
  flush(): void {
    this.#left.push(...this.#due);
    this.#due = [];
    this.#guarded(() => this.#send());
  }

  /** The channel is gone. */
  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #flushSoon(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#round);
  }

  #flushLater(): void {
    this.#timer ??= setTimeout(this.#onTimer, longestWait);
  }

  readonly #onTimer = (): void => {
    this.#timer = undefined;
    this.#round();
  };

  readonly #round = (): void => {
    this.#scheduled = false;
    if (this.#ended) return;
    const due = this.#due;
    this.#due = [];
    if (this.#mode === "single") this.#left = due;
    this.#guarded(() => {
      const sent = this.#send();
      if (this.#mode === "single") return;
      this.#left = due.filter(({ tag }) => tag > sent);
      if (this.#left.length > 0) this.#flushLater();
    });
  };

  /** A channel that is closing throws. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.#onError(thrown);
    }
  }

  /** Returns the tag up to which all is acknowledged by one frame, or 0. */
  #send(): number {
    const channel = this.#channel;
    const left = this.#left;
    this.#left = [];
    let done: AmqpDelivery | undefined;
    let next = this.#first;
    while (next?.acked === true) {
      done = next;
      next = next.next;
      done.next = undefined; // Or whoever keeps one delivery would keep all that came after it.
    }
    this.#first = next;
    if (next === undefined) this.#last = undefined;
    else next.previous = undefined;
    const sent = done?.tag ?? 0;
    if (sent > 0) channel.ack(this.#tagged(sent), true);
    for (const delivery of left) {
      if (delivery.tag <= sent) continue;
      this.#remove(delivery);
      channel.ack(this.#tagged(delivery.tag), false);
    }
    if (sent > 0 || left.length > 0) this.lastSent = performance.now();
    return sent;
  }

  #remove(delivery: AmqpDelivery): void {
    const { previous, next } = delivery;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    delivery.previous = undefined;
    delivery.next = undefined;
  }

  /** All that amqplib reads of a message; a message of its own would keep the body alive. */
  #tagged(deliveryTag: number): Message {
    this.#frame.fields.deliveryTag = deliveryTag;
    return this.#frame;
  }
}
