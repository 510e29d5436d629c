import { LabError } from "@lab/core";
import type { AmqpConnect } from "./options.ts";

/** The functions that connect, one for each host: when one fails, the next is taken. */
export class Hosts {
  readonly #connects: readonly AmqpConnect[];
  #next = 0;
  /** A connection was there once: the options are right, and a loss will pass. */
  #established = false;

  constructor(connects: readonly AmqpConnect[]) {
    this.#connects = connects;
  }

  get established(): boolean {
    return this.#established;
  }

  /**
   * Opens with one of them. As long as there was no connection yet, each is tried once, unless the error says more than
   * that nobody answered, or `goOn` says not to.
   */
  async open<T>(work: (connect: AmqpConnect) => Promise<T>, goOn: () => boolean): Promise<T> {
    for (let left = this.#established ? 1 : this.#connects.length; ; left--) {
      try {
        const result = await work(this.#connects[this.#next] as AmqpConnect);
        this.#established = true;
        return result;
      } catch (error) {
        this.#next = (this.#next + 1) % this.#connects.length;
        const away = error instanceof LabError && error.code === "BROKER_UNREACHABLE";
        if (!away || left <= 1 || !goOn()) throw error;
      }
    }
  }
}
