import { now } from "./change.ts";
import type { SideResult, TimelinePoint } from "./protocol.ts";
import { Samples } from "./samples.ts";

/** How often memory is looked at, in ms: often enough to see what is allocated between two collections. */
const lookEvery = 20;

const MB = 1024 ** 2;

/** What one side receives: how much, how late, and what it costs in memory. */
export class Recorder {
  readonly #from: number;
  readonly #until: number;
  readonly #latency: Samples = new Samples();
  readonly #processing: Samples = new Samples();
  /** One for each second of the run. */
  readonly #seconds: Samples[];
  #turn: number | undefined;
  #rss = 0;
  #heap = 0;
  #allocated = 0;
  #lastHeap = process.memoryUsage().heapUsed;
  readonly #looking: NodeJS.Timeout = setInterval(() => this.#look(), lookEvery);

  /** Counts changes from `from` to `until`, by `now()`. */
  constructor(from: number, until: number) {
    this.#from = from;
    this.#until = until;
    const seconds = Math.ceil((until - from) / 1_000);
    this.#seconds = Array.from({ length: seconds }, () => new Samples(2_000));
  }

  /** A value that was changed at `time` is mirrored by `apply`. */
  received(time: number, apply: () => void): void {
    if (this.#turn === undefined) {
      this.#turn = now();
      setImmediate(this.#endTurn);
    }
    apply();
    if (time < this.#from || time >= this.#until) return;
    const applied = now();
    this.#latency.add(applied - time);
    this.#processing.add(applied - this.#turn);
    this.#seconds[Math.floor((applied - this.#from) / 1_000)]?.add(applied - time);
  }

  stop(): void {
    clearInterval(this.#looking);
  }

  result(sent: number): SideResult {
    const { count: received, ...latencyMs } = this.#latency.summary();
    const { count: _, ...processingMs } = this.#processing.summary();
    const perSecondSamples = new Samples(this.#seconds.length);
    const summaries = this.#seconds.map((one) => one.summary());
    for (const { count } of summaries) perSecondSamples.add(count);
    const seconds = (this.#until - this.#from) / 1_000;
    return {
      sent,
      received,
      perSecond: received / seconds,
      modifications: perSecondSamples.summary(),
      latencyMs,
      processingMs,
      rssMB: this.#rss / MB,
      heapMB: this.#heap / MB,
      allocMBps: this.#allocated / MB / seconds,
      timeline: summaries.map(({ p50, p99, count }): TimelinePoint => ({ p50, p99, count })),
    };
  }

  readonly #endTurn = (): void => {
    this.#turn = undefined;
  };

  #look(): void {
    const { rss, heapUsed } = process.memoryUsage();
    const time = now();
    if (time >= this.#from && time < this.#until) {
      this.#rss = Math.max(this.#rss, rss);
      this.#heap = Math.max(this.#heap, heapUsed);
      if (heapUsed > this.#lastHeap) this.#allocated += heapUsed - this.#lastHeap;
    }
    this.#lastHeap = heapUsed;
  }
}
