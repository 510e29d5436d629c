/** In ms. Each time that the client is started it tells the broker, which costs as much as six messages. */
const collect = 2;

/**
 * Keeps the window by stopping and starting the client's consumer: its own window size limits only what is read ahead.
 * Opens at once when half of the window is free, and shortly after a single place is.
 */
export class Gate {
  readonly #window: number;
  readonly #stop: () => void;
  readonly #start: () => void;
  #taken = 0;
  #stopped = false;
  #shut = false;
  #soon: NodeJS.Immediate | undefined;
  #later: NodeJS.Timeout | undefined;

  constructor(window: number, stop: () => void, start: () => void) {
    this.#window = window;
    this.#stop = stop;
    this.#start = start;
  }

  /** A delivery is about to be handed out. It may be one of many within a single `start`. */
  took(): void {
    this.#taken++;
    if (this.#taken < this.#window || this.#stopped) return;
    this.#stopped = true;
    this.#stop();
  }

  /** A delivery was settled. */
  freed(): void {
    this.#taken--;
    if (!this.#stopped || this.#shut) return;
    if (this.#taken <= this.#window / 2) this.#soon ??= setImmediate(this.#open);
    else this.#later ??= setTimeout(this.#open, collect);
  }

  /** For good. */
  shut(): void {
    this.#shut = true;
    this.#cancel();
    if (this.#stopped) return;
    this.#stopped = true;
    this.#stop();
  }

  readonly #open = (): void => {
    this.#cancel();
    if (this.#taken >= this.#window) return;
    this.#stopped = false;
    this.#start();
  };

  #cancel(): void {
    clearImmediate(this.#soon);
    clearTimeout(this.#later);
    this.#soon = undefined;
    this.#later = undefined;
  }
}
