import { channel } from "node:diagnostics_channel";
import type { LabError } from "./errors.ts";
import type { ConnectionState, Delivery, Outcome } from "./ports.ts";

/** What every event carries. */
interface Event {
  /** The consumer's `source`. */
  readonly source: string;
}

interface DeliveryEvent extends Event {
  readonly delivery: Delivery;
  readonly key: string | undefined;
}

/** Channel name → its message. Subscribe with `diagnostics_channel.subscribe("lab:message:failed", …)`. */
export interface Diagnostics {
  "lab:consumer:started": Event;
  /** `error` where the consumer ended by a failure. `left`: deliveries left to the broker. */
  "lab:consumer:closed": Event & { readonly error?: LabError; readonly left: number };
  "lab:connection": Event & { readonly state: ConnectionState; readonly cause?: Error };
  /** `dropped`: deliveries that were queued; they come again. */
  "lab:session:ended": Event & { readonly dropped: number };
  "lab:message:received": DeliveryEvent;
  "lab:message:handled": DeliveryEvent & { readonly attempt: number };
  "lab:message:failed": DeliveryEvent & { readonly attempt: number; readonly error: LabError };
  /** `delay` in ms. */
  "lab:message:retry": DeliveryEvent & { readonly attempt: number; readonly delay: number };
  "lab:message:dead-lettered": DeliveryEvent & {
    readonly error: LabError;
    readonly destination: string;
  };
  "lab:message:rejected": DeliveryEvent & { readonly error: LabError };
  /** A result that came after its session had ended. */
  "lab:message:stale": DeliveryEvent & { readonly outcome: Outcome };
  "lab:key:halted": DeliveryEvent & { readonly error: LabError };
  "lab:settle:failed": DeliveryEvent & { readonly outcome: Outcome; readonly error: LabError };
  /** A dead letter could not be published yet; it is tried again while its key waits. */
  "lab:dead-letter:failed": DeliveryEvent & { readonly error: Error };
}

/** A channel whose messages have a type. */
interface TypedChannel<M> {
  readonly hasSubscribers: boolean;
  publish(message: M): void;
}

const names: readonly (keyof Diagnostics)[] = [
  "lab:consumer:started",
  "lab:consumer:closed",
  "lab:connection",
  "lab:session:ended",
  "lab:message:received",
  "lab:message:handled",
  "lab:message:failed",
  "lab:message:retry",
  "lab:message:dead-lettered",
  "lab:message:rejected",
  "lab:message:stale",
  "lab:key:halted",
  "lab:settle:failed",
  "lab:dead-letter:failed",
];

/** Every channel. Publishing costs nothing while nobody listens: ask `hasSubscribers` before a message is made. */
export const diagnostics: { readonly [K in keyof Diagnostics]: TypedChannel<Diagnostics[K]> } =
  Object.fromEntries(names.map((name) => [name, channel(name)])) as never;
