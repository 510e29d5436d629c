/** Helpers for authors of adapters. */
export { invalidOption, toError } from "../errors.ts";
export { Backoff, type BackoffOptions } from "./backoff.ts";
export { Batch, messagesFault } from "./batch.ts";
export {
  type KeepSubscribedOptions,
  keepSubscribed,
  type OpenedSession,
  type OpenSession,
} from "./keep-subscribed.ts";
export { unsupportedMessage } from "./outgoing.ts";
export { AdapterDelivery, AdapterSession, type Settler, unsupportedOutcome } from "./session.ts";
export { requireWindow } from "./window.ts";
export { within } from "./within.ts";
