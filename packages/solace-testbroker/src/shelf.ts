import type { Spooled } from "./message.ts";

/** Messages that wait for a consumer, oldest first. What comes back takes its old place. */
export class Shelf {
  #arrived: Spooled[] = [];
  #taken = 0;
  /** Newest first, so that `pop` takes the oldest. */
  readonly #returned: Spooled[] = [];

  get length(): number {
    return this.#arrived.length - this.#taken + this.#returned.length;
  }

  add(spooled: Spooled): void {
    this.#arrived.push(spooled);
  }

  putBack(spooled: Spooled): void {
    let at = this.#returned.length;
    while (at > 0 && (this.#returned[at - 1] as Spooled).id < spooled.id) at--;
    this.#returned.splice(at, 0, spooled);
  }

  take(): Spooled | undefined {
    const returned = this.#returned.pop();
    if (returned !== undefined) return returned;
    const spooled = this.#arrived[this.#taken];
    if (spooled === undefined) return undefined;
    this.#taken++;
    if (this.#taken === this.#arrived.length) {
      this.#arrived = [];
      this.#taken = 0;
    } else if (this.#taken >= 1024 && this.#taken * 2 >= this.#arrived.length) {
      this.#arrived = this.#arrived.slice(this.#taken);
      this.#taken = 0;
    }
    return spooled;
  }

  clear(): number {
    const cleared = this.length;
    this.#arrived = [];
    this.#taken = 0;
    this.#returned.length = 0;
    return cleared;
  }
}
