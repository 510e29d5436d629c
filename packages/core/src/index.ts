export { type Clock, systemClock } from "./clock.ts";
export { consume } from "./consume.ts";
export type { Consumer } from "./consumer.ts";
export { type DeadLetter, readDeadLetter } from "./dead-letter.ts";
export type { Diagnostics } from "./diagnostics.ts";
export {
  type ErrorCode,
  errorCodes,
  LabError,
  PublishError,
  type PublishFailure,
} from "./errors.ts";
export type {
  ConsumeOptions,
  DeadLetterOptions,
  Dispatch,
  DrainOptions,
  DrainResult,
  OnFailure,
  RetryOptions,
} from "./options.ts";
export { json, validated } from "./payload.ts";
export type * from "./ports.ts";
export type { ConsumerStats, LaneStats } from "./stats.ts";
