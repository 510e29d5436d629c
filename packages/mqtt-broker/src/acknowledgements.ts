import type { ClientLine } from "./line.ts";

/** PUBACK and PUBREC of one connection, in the order of what they acknowledge, some of them held back. */
export class Acknowledgements {
  readonly #line: ClientLine;
  readonly #received: Set<number>;
  readonly #flush: () => void;
  /** Packet id, reason and QoS, two numbers each. */
  #due: number[] = [];
  #unwritten = 0;
  #last: Promise<void> | undefined;

  /** `received` are the QoS 2 messages that are not released yet; `flush` writes what was held back. */
  constructor(line: ClientLine, received: Set<number>, flush: () => void) {
    this.#line = line;
    this.#received = received;
    this.#flush = flush;
  }

  /** Those of QoS 1 that are not written. */
  get size(): number {
    return this.#unwritten;
  }

  add(acknowledgement: number, qos: number): void {
    this.#due.push(acknowledgement, qos);
    if (qos === 1) this.#unwritten++;
  }

  /**
   * Writes what was added, after all that was added before, and after `wait`, which resolves to 0 or to the reason to
   * refuse it all.
   */
  release(wait: Promise<number> | undefined): void {
    if (this.#due.length === 0) return;
    const due = this.#due;
    this.#due = [];
    if (wait === undefined && this.#last === undefined) {
      this.#write(due, 0);
      return;
    }
    const mine = this.#writeAfter(this.#last, wait, due).then(() => {
      if (this.#last === mine) this.#last = undefined;
    });
    this.#last = mine;
  }

  async #writeAfter(
    before: Promise<void> | undefined,
    wait: Promise<number> | undefined,
    due: readonly number[],
  ): Promise<void> {
    await before;
    this.#write(due, (await wait) ?? 0);
    this.#flush();
  }

  #write(due: readonly number[], refusal: number): void {
    for (let i = 0; i < due.length; i += 2) {
      const packetId = (due[i] as number) & 0xffff;
      const reason = refusal === 0 ? (due[i] as number) >> 16 : refusal;
      if (due[i + 1] === 1) {
        this.#unwritten--;
        this.#line.puback(packetId, reason);
      } else {
        if (refusal !== 0) this.#received.delete(packetId);
        this.#line.pubrec(packetId, reason);
      }
    }
  }
}
