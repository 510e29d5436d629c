import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import type { ConsumerStats } from "./stats.ts";

const resolution = 20;
const ms = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolution) || 0;

/** How late the event loop is. Each sample counts the sampling interval itself, which is taken off. */
export class EventLoopDelay {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution });

  start(): void {
    this.#histogram.enable();
  }

  read(): ConsumerStats["eventLoopDelayMs"] {
    const { mean, max } = this.#histogram;
    return { mean: ms(mean), p99: ms(this.#histogram.percentile(99)), max: ms(max) };
  }

  stop(): void {
    this.#histogram.disable();
  }
}
