import type { Clock } from "../clock.ts";
import type { Dispatch } from "../options.ts";
import type { LaneStats } from "../stats.ts";
import { hashKey } from "./hash.ts";
import type { Job } from "./job.ts";
import { Scheduler, type Work } from "./scheduler.ts";

/** The hand-off: which scheduler a job goes to. All else is shared by the three ways to dispatch. */
export interface Dispatcher {
  push(job: Job): void;
  /** The scheduler that has the job. */
  of(job: Job): Scheduler;
  sweep: Scheduler["sweep"];
  lanes(): LaneStats[];
}

/**
 * `keyed` is one scheduler with all the lanes, `hashed` as many schedulers of one lane each, `inline` one scheduler of
 * one lane: with a single lane, oldest head first is the order of arrival.
 */
export function createDispatcher(
  dispatch: Dispatch,
  lanes: number,
  window: number,
  work: Work,
  clock: Clock,
): Dispatcher {
  if (dispatch !== "hashed") {
    const only = new Scheduler(dispatch === "inline" ? 1 : lanes, 0, window, work, clock);
    return {
      push: (job) => only.push(job),
      of: () => only,
      sweep: (drop) => only.sweep(drop),
      lanes: () => only.lanes(),
    };
  }
  const room = Math.ceil(window / lanes); // One window's room for all lanes together.
  const each = Array.from({ length: lanes }, (_, i) => new Scheduler(1, i, room, work, clock));
  const of = ({ key, arrival }: Job): Scheduler =>
    each[(key === undefined ? arrival : hashKey(key)) % lanes] as Scheduler;
  return {
    push: (job) => of(job).push(job),
    of,
    sweep: (drop) => {
      for (const scheduler of each) scheduler.sweep(drop);
    },
    lanes: () => each.flatMap((scheduler) => scheduler.lanes()),
  };
}
