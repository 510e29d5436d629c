/** How often the memory is looked at, in ms. */
const lookEvery = 20;

/** What was measured from the last message for warming up to the last of all. */
export interface Measured {
  readonly perSecond: number;
  /** Of this process, user and system, on every thread. */
  readonly cpuUsPerMessage: number;
  /** Memory resident at the beginning, and the most meanwhile. */
  readonly residentBytes: { readonly before: number; readonly peak: number };
  /** Calls of the handler, those for warming up included. */
  readonly handled: number;
}

/** Counts messages, and measures those after the first `warmUp`. */
export class Meter {
  /** Resolves when all have been handled. */
  readonly finished: Promise<void>;
  readonly handler: (body: Uint8Array) => Promise<void>;
  #handled = 0;
  #startedAt = 0;
  #cpu: NodeJS.CpuUsage = { user: 0, system: 0 };
  #before = 0;
  #peak = 0;
  #looking: NodeJS.Timeout | undefined;
  #finish: () => void = () => {};
  #ms = 0;
  readonly #measured: number;

  constructor(warmUp: number, messages: number) {
    this.#measured = messages;
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
    const total = warmUp + messages;
    this.handler = async () => {
      const handled = ++this.#handled;
      if (handled === warmUp) this.#start();
      else if (handled === total) this.#stop();
    };
  }

  get handled(): number {
    return this.#handled;
  }

  result(): Measured {
    const { user, system } = this.#cpu;
    return {
      perSecond: (this.#measured / this.#ms) * 1_000,
      cpuUsPerMessage: (user + system) / this.#measured,
      residentBytes: { before: this.#before, peak: this.#peak },
      handled: this.#handled,
    };
  }

  #start(): void {
    this.#before = process.memoryUsage.rss();
    this.#peak = this.#before;
    this.#looking = setInterval(() => this.#look(), lookEvery);
    this.#cpu = process.cpuUsage();
    this.#startedAt = performance.now();
  }

  #stop(): void {
    this.#ms = performance.now() - this.#startedAt;
    this.#cpu = process.cpuUsage(this.#cpu);
    clearInterval(this.#looking);
    this.#look();
    this.#finish();
  }

  #look(): void {
    this.#peak = Math.max(this.#peak, process.memoryUsage.rss());
  }
}
