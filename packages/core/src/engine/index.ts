/** The lane engine without a broker, for benchmarks. Not part of the stable API. */
export { createDispatcher, type Dispatcher } from "./dispatcher.ts";
export { Job, JobPool } from "./job.ts";
export { Scheduler, type Work } from "./scheduler.ts";
