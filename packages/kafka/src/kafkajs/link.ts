import type { Cluster } from "kafkajs";

/**
 * How often to look, in ms. kafkajs tells nobody when it loses its connections, and makes new ones by itself; but not
 * within 240 ms, unless something else is sent (which looks first).
 */
const every = 100;

export interface LinkOptions {
  readonly cluster: Cluster;
  /** Longest time without a sign of life, in ms. */
  readonly silence: number;
  readonly changed: (up: boolean) => void;
  /** kafkajs neither works nor says that it does not. */
  readonly silent: () => void;
}

/** Watches whether a client of kafkajs is connected, and whether it is alive. */
export class Link {
  readonly #options: LinkOptions;
  readonly #timer: NodeJS.Timeout;
  #up = true;
  #lastSign = performance.now();

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.look(), every);
  }

  /** To be called before anything is sent: sending connects. */
  look(): void {
    const { cluster, silence, changed, silent } = this.#options;
    const up = cluster.isConnected();
    if (up !== this.#up) {
      this.#up = up;
      changed(up);
    }
    if (performance.now() - this.#lastSign > silence) silent();
  }

  sign(): void {
    this.#lastSign = performance.now();
  }

  end(): void {
    clearInterval(this.#timer);
  }
}
