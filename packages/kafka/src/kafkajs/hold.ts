/** How often to see to a heartbeat while kafkajs is held, in ms. kafkajs sends one when `heartbeatInterval` is over. */
const every = 250;

/** kafkajs sends heartbeats between batches only; while it is held in one, they are sent here. */
export class Hold {
  readonly #beat: () => void;
  #holding = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(beat: () => void) {
    this.#beat = beat;
  }

  async until(taken: Promise<void>): Promise<void> {
    if (this.#holding++ === 0) this.#timer = setInterval(this.#beat, every);
    await taken;
    if (--this.#holding === 0) clearInterval(this.#timer);
  }
}
