/** Holds whoever passes until it is opened. */
export class Gate {
  readonly #opened: Promise<void>;
  #open: () => void = () => {};
  #waiting = 0;

  constructor() {
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  /** How many came to the gate so far. */
  get arrived(): number {
    return this.#waiting;
  }

  /** Resolves once the gate is open, or when `signal` aborts: then it rejects with the reason. */
  async pass(signal?: AbortSignal): Promise<void> {
    this.#waiting++;
    if (signal === undefined) return this.#opened;
    signal.throwIfAborted();
    let abort = (): void => {};
    const aborted = new Promise<never>((_, reject) => {
      abort = () => reject(signal.reason);
      signal.addEventListener("abort", abort);
    });
    try {
      await Promise.race([this.#opened, aborted]);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  open(): void {
    this.#open();
  }
}

/** A gate that opens when `size` have come: proof that so many ran at once, whatever the clock says. */
export class Barrier extends Gate {
  readonly size: number;

  constructor(size: number) {
    super();
    this.size = size;
  }

  get met(): boolean {
    return this.arrived >= this.size;
  }

  override pass(signal?: AbortSignal): Promise<void> {
    const passed = super.pass(signal);
    if (this.met) this.open();
    return passed;
  }
}
