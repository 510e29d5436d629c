import type { DropReason } from "./types.ts";

type Tell = (clientId: string, why: { reason: DropReason; messages: number }) => void;

/** In ms. */
const period = 1_000;

/** Counts dropped messages and tells of them: at once, and then once a period for each client and reason. */
export class Drops {
  readonly #tell: Tell;
  readonly #since = new Map<string, { count: number; timer: NodeJS.Timeout }>();
  total = 0;

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  count(clientId: string, reason: DropReason): void {
    this.total++;
    const key = `${reason} ${clientId}`;
    const known = this.#since.get(key);
    if (known !== undefined) {
      known.count++;
      return;
    }
    this.#since.set(key, { count: 0, timer: this.#later(key, clientId, reason) });
    this.#tell(clientId, { reason, messages: 1 });
  }

  close(): void {
    for (const { timer } of this.#since.values()) clearTimeout(timer);
    this.#since.clear();
  }

  #later(key: string, clientId: string, reason: DropReason): NodeJS.Timeout {
    return setTimeout(() => {
      const messages = this.#since.get(key)?.count ?? 0;
      if (messages === 0) this.#since.delete(key);
      else {
        this.#since.set(key, { count: 0, timer: this.#later(key, clientId, reason) });
        this.#tell(clientId, { reason, messages });
      }
    }, period).unref();
  }
}
