import { SingleBar } from "cli-progress";
import type { Output } from "./command.ts";

/** How far a run is. Shown on terminals only. */
export interface Progress {
  start(name: string, total: number): void;
  advance(done: number): void;
  /** Takes the bar away. */
  stop(): void;
}

const silent: Progress = { start() {}, advance() {}, stop() {} };

/** A bar on `out` if that is a terminal; cli-progress redraws it a few times a second, whatever the rate. */
export function progressOn(out: Output): Progress {
  if (out.isTTY !== true) return silent;
  const bar = new SingleBar({
    stream: out,
    format: "{name} {bar} {value}/{total}",
    hideCursor: true,
    clearOnComplete: true,
    barsize: 30,
  });
  return {
    start: (name, total) => bar.start(total, 0, { name }),
    advance: (done) => bar.update(done),
    stop: () => bar.stop(),
  };
}
