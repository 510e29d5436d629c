import type { TlsOptions } from "node:tls";
import { invalidOption } from "@lab/core/adapter";

export interface TestBrokerOptions {
  /** TCP port on 127.0.0.1. @default any free one */
  readonly port?: number;
  /** Refuses everybody else. @default everybody is let in */
  readonly credentials?: { readonly username: string; readonly password: string };
  /** Serves TLS only (`tcps://`), as Node's TLS server is told. @default plain TCP */
  readonly tls?: TlsOptions;
  /** Refuses every other message VPN. @default any name is taken */
  readonly vpn?: string;
  /**
   * Message ids of what is delivered again to the client that had it: `same` ids, which the client then hides from its
   * user, or `new` ones. Which of the two Solace's brokers do has not been observed. @default "same"
   */
  readonly redeliveredIds?: "same" | "new";
  /** Messages carry their id in the spool, so that clients can tell a message although its id is new. @default true */
  readonly spoolIds?: boolean;
  /** Offers negative acknowledgements. @default true */
  readonly nacks?: boolean;
  /** Rejects messages for topics that no queue subscribes to. @default false: they are confirmed and dropped */
  readonly rejectUnmatched?: boolean;
  /** Longest frame that is accepted, in bytes. @default 32 MiB */
  readonly longestFrame?: number;
  /** Gets a line for each control frame, refusal and loss. @default nobody */
  readonly log?: (line: string) => void;
}

export interface QueueOptions {
  /** `exclusive`: the first consumer gets everything, the others stand by. @default "exclusive" */
  readonly access?: "exclusive" | "non-exclusive";
  /** Number of partitions of a non-exclusive queue; 0 = not partitioned. @default 0 */
  readonly partitions?: number;
  /** How long a partition that moves waits for what its old consumer has in hand, in ms. @default 3_000 */
  readonly maxHandoffTime?: number;
  /** Most messages that a consumer has unacknowledged. @default 10_000 */
  readonly maxDeliveredUnacked?: number;
  /** Deliveries again of one message before it counts as dead; 0 = without end. @default 0 */
  readonly maxRedelivery?: number;
  /** Where dead and rejected messages go, if they may and it exists. @default "#DEAD_MSG_QUEUE" */
  readonly deadMessageQueue?: string;
  /** Messages say how often they were delivered. @default false */
  readonly deliveryCount?: boolean;
  /** Largest body, in bytes. @default 10_000_000 */
  readonly maxMessageSize?: number;
  /** Most that the queue holds, in MB. @default 5_000 */
  readonly quotaMb?: number;
  /** Most consumers. @default 1_000 */
  readonly maxConsumers?: number;
}

export type TestBrokerSettings = Required<
  Omit<TestBrokerOptions, "credentials" | "vpn" | "port" | "tls">
> &
  Pick<TestBrokerOptions, "credentials" | "vpn">;

export type QueueSettings = Required<QueueOptions>;

/** @throws {LabError} `INVALID_OPTION` */
export function brokerSettings(options: TestBrokerOptions): TestBrokerSettings {
  const { redeliveredIds = "same", longestFrame = 32 * 1024 * 1024 } = options;
  requireOneOf("redeliveredIds", redeliveredIds, ["same", "new"]);
  requireCount("longestFrame", longestFrame, 1);
  return {
    ...(options.credentials && { credentials: options.credentials }),
    ...(options.vpn !== undefined && { vpn: options.vpn }),
    redeliveredIds,
    spoolIds: options.spoolIds ?? true,
    nacks: options.nacks ?? true,
    rejectUnmatched: options.rejectUnmatched ?? false,
    longestFrame,
    log: options.log ?? (() => {}),
  };
}

/** @throws {LabError} `INVALID_OPTION` */
export function queueSettings(options: QueueOptions): QueueSettings {
  const settings: QueueSettings = {
    access: options.access ?? "exclusive",
    partitions: options.partitions ?? 0,
    maxHandoffTime: options.maxHandoffTime ?? 3_000,
    maxDeliveredUnacked: options.maxDeliveredUnacked ?? 10_000,
    maxRedelivery: options.maxRedelivery ?? 0,
    deadMessageQueue: options.deadMessageQueue ?? "#DEAD_MSG_QUEUE",
    deliveryCount: options.deliveryCount ?? false,
    maxMessageSize: options.maxMessageSize ?? 10_000_000,
    quotaMb: options.quotaMb ?? 5_000,
    maxConsumers: options.maxConsumers ?? 1_000,
  };
  requireOneOf("access", settings.access, ["exclusive", "non-exclusive"]);
  requireCount("partitions", settings.partitions, 0);
  requireCount("maxHandoffTime", settings.maxHandoffTime, 0);
  requireCount("maxDeliveredUnacked", settings.maxDeliveredUnacked, 1);
  requireCount("maxRedelivery", settings.maxRedelivery, 0);
  requireCount("maxMessageSize", settings.maxMessageSize, 0);
  requireCount("maxConsumers", settings.maxConsumers, 0);
  if (settings.partitions > 0 && settings.access === "exclusive") {
    throw invalidOption("access", settings.access, '"non-exclusive"', "Partitions need it.");
  }
  return settings;
}

function requireOneOf(name: string, got: string, allowed: readonly string[]): void {
  if (allowed.includes(got)) return;
  throw invalidOption(name, got, allowed.map((value) => JSON.stringify(value)).join(" or "));
}

function requireCount(name: string, got: number, least: number): void {
  if (Number.isInteger(got) && got >= least) return;
  throw invalidOption(name, got, `an integer ≥ ${least}`);
}
