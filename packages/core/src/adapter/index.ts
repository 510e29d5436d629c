/** Helpers for authors of adapters. */
export { AdapterDelivery, AdapterSession, type Settler, unsupportedOutcome } from "./session.ts";
