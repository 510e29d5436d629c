import type { SubscriberCapabilities } from "@lab/core";
import { invalidOption } from "@lab/core/adapter";

/** `true`, or why not: a sentence that the suite prints with the scenarios it skips for it. */
export type Support = true | string;

/**
 * What the adapter and the rig claim, declared when the suite is registered. The suite checks that the adapter's own
 * `capabilities` and the rig's faults and refusals agree with it, and that what is declared false is refused.
 */
export interface ContractCapabilities extends SubscriberCapabilities {
  /** The publisher carries headers. Where false, a message with headers is refused. */
  readonly headers: boolean;
  /** The publisher carries keys. Where false, a message with a key is refused. */
  readonly keys: boolean;
  /** Several members subscribed to one source share its messages: each goes to one of them. */
  readonly competing: Support;
  /** What a member leaves unsettled when it closes goes to the members that stay. */
  readonly handover: Support;
  /** What comes again has `Delivery.redelivered` set: after a close, a nack or a cut. */
  readonly redelivered: Support;
  /** `TestSource.delete` is there. */
  readonly deleteSource: Support;
  /** `Faults.cut` is there. */
  readonly cut: Support;
  /** `Faults.restart` is there, and what was confirmed survives it. */
  readonly restart: Support;
  /** `Refusals.missingSource` is there. */
  readonly missingSource: Support;
  /** `Refusals.wrongCredentials` is there. */
  readonly wrongCredentials: Support;
  /** `Refusals.unreachable` is there. */
  readonly unreachable: Support;
  /** `Refusals.refusedDestination` is there. */
  readonly refusedDestination: Support;
  /** `Refusals.refusedMessage` is there. */
  readonly refusedMessage: Support;
  /**
   * The shortest time, in ms, that a subscriber of the rig can be given after which a silent client is taken for dead
   * (MQTT keep-alive, AMQP heartbeat, Kafka session time); or why there is none.
   */
  readonly keepAliveMs: number | string;
  /** The largest body that the broker takes, in bytes, where that is less than 1 MB. @default 1_000_000 */
  readonly largestBody?: number;
}

const supports = [
  "competing",
  "handover",
  "redelivered",
  "deleteSource",
  "cut",
  "restart",
  "missingSource",
  "wrongCredentials",
  "unreachable",
  "refusedDestination",
  "refusedMessage",
] as const satisfies readonly (keyof ContractCapabilities)[];

/** @throws {LabError} `INVALID_OPTION` where something would be skipped and nobody were told why */
export function checkCapabilities(capabilities: ContractCapabilities): void {
  for (const name of supports) {
    const value: unknown = capabilities[name];
    if (value === true || (typeof value === "string" && value !== "")) continue;
    throw invalidOption(`capabilities.${name}`, value, "true, or a sentence that says why not");
  }
  const { keepAliveMs } = capabilities;
  if (typeof keepAliveMs === "number" ? keepAliveMs > 0 : Boolean(keepAliveMs)) return;
  const expected = "a number of ms, or a sentence that says why there is none";
  throw invalidOption("capabilities.keepAliveMs", keepAliveMs, expected);
}
