import { invalidOption } from "@lab/core/adapter";
import type { Channel, ChannelModel } from "amqplib";

/** What a subscriber or publisher needs of its connection: spread it into the second argument of `amqplib.connect`. */
export interface AmqpDefaults {
  /** With Nagle's algorithm a confirmed publish, or an acknowledgement, can take 40 ms. */
  readonly noDelay: true;
  /** In ms: for the TCP connection and for each answer of the handshake. */
  readonly timeout: number;
  /** Destroys the socket, whatever state it is in. An option of Node's sockets, which amqplib passes on. */
  readonly signal: AbortSignal;
}

/**
 * Makes a connection: `(defaults) => amqplib.connect(url, { ...defaults, ca })`. Everything that amqplib can be told (TLS,
 * credentials, virtual host, heartbeat) is told here. Leave out its `recovery`: it does not restore consumers.
 */
export type AmqpConnect = (defaults: AmqpDefaults) => Promise<ChannelModel>;

/** How long to wait before connecting again: twice as long each time, half of it random. */
export interface AmqpBackoff {
  /** The first wait, in ms. @default 100 */
  readonly base?: number;
  /** The longest wait, in ms. @default 30_000 */
  readonly cap?: number;
}

interface ConnectionOptions {
  /** Several functions are several hosts of one cluster: when one fails, the next is tried. */
  readonly connect: AmqpConnect | readonly AmqpConnect[];
  /** Longest wait for a connection and all that has to be agreed on it, in ms. @default 15_000 */
  readonly connectTimeout?: number;
  /** @default { base: 100, cap: 30_000 } */
  readonly backoff?: AmqpBackoff;
}

export interface AmqpSubscriberOptions extends ConnectionOptions {
  /**
   * Only a quorum queue counts deliveries: with it `deliveryCount` is a number. The queue itself is not changed by it.
   * @default "classic"
   */
  readonly queueType?: "classic" | "quorum";
  /**
   * Declares the queue, and what belongs to it, on each new connection:
   * `(channel, queue) => channel.assertQueue(queue, { arguments: { "x-queue-type": "quorum" } })`.
   * The queue has to exist then. Without it, it has to exist beforehand.
   */
  readonly declare?: (channel: Channel, queue: string) => PromiseLike<unknown>;
  /**
   * `single`: what is settled is acknowledged in the same turn of the event loop; neighbours share a frame.
   * `multiple`: up to 40 ms later, in fewer frames. Give it a window of at least four times the lanes.
   * @default "single"
   */
  readonly ack?: "single" | "multiple";
  /**
   * The broker's `consumer_timeout`, in ms: it closes the channel of a consumer that leaves a message unsettled for longer.
   * A warning is given at half of it. @default 1_800_000
   */
  readonly consumerTimeout?: number;
  /**
   * When a connection breaks, the broker may notice later, and until then holds what the lost consumer had in hand: a new
   * one would be handed later messages of the same keys first. A subscription that was alone on its queue waits for the
   * broker, for so long at most, in ms.
   * @default 30_000
   */
  readonly takeBackTimeout?: number;
}

export interface AmqpPublisherOptions extends ConnectionOptions {
  /**
   * The exchange, which has to exist; the destination is the routing key. With the default one, "", it is the name of a
   * queue.
   * @default ""
   */
  readonly exchange?: string;
  /** A message that no queue takes has failed. With false the broker drops it and confirms it. @default true */
  readonly mandatory?: boolean;
  /** The broker keeps the message on disk, in queues that are durable. @default true */
  readonly persistent?: boolean;
  /** Most messages unconfirmed at once. @default 1_000 */
  readonly window?: number;
  /** When nothing has been confirmed for so long, in ms, what is unconfirmed has failed. @default 30_000 */
  readonly confirmTimeout?: number;
}

interface ConnectionSettings {
  readonly connects: readonly AmqpConnect[];
  readonly connectTimeout: number;
  readonly backoff: Required<AmqpBackoff>;
}

/** Options with every default filled in. */
export type SubscriberSettings = ConnectionSettings &
  Required<Omit<AmqpSubscriberOptions, keyof ConnectionOptions | "declare">> &
  Pick<AmqpSubscriberOptions, "declare">;

export type PublisherSettings = ConnectionSettings &
  Required<Omit<AmqpPublisherOptions, keyof ConnectionOptions>>;

/** @throws {LabError} `INVALID_OPTION` */
export function subscriberSettings(options: AmqpSubscriberOptions): SubscriberSettings {
  const settings = {
    ...connectionSettings(options),
    queueType: options.queueType ?? "classic",
    ack: options.ack ?? "single",
    consumerTimeout: options.consumerTimeout ?? 1_800_000,
    takeBackTimeout: options.takeBackTimeout ?? 30_000,
    ...(options.declare !== undefined && { declare: options.declare }),
  };
  requireOneOf("queueType", settings.queueType, ["classic", "quorum"]);
  requireOneOf("ack", settings.ack, ["single", "multiple"]);
  requireDuration("consumerTimeout", settings.consumerTimeout);
  if (settings.takeBackTimeout !== 0) {
    requireDuration("takeBackTimeout", settings.takeBackTimeout);
  }
  if (options.declare !== undefined && typeof options.declare !== "function") {
    throw invalidOption("declare", options.declare, "a function of a channel and a queue name");
  }
  return settings;
}

/** @throws {LabError} `INVALID_OPTION` */
export function publisherSettings(options: AmqpPublisherOptions): PublisherSettings {
  const settings = {
    ...connectionSettings(options),
    exchange: options.exchange ?? "",
    mandatory: options.mandatory ?? true,
    persistent: options.persistent ?? true,
    window: options.window ?? 1_000,
    confirmTimeout: options.confirmTimeout ?? 30_000,
  };
  requireName("exchange", settings.exchange);
  requireFlag("mandatory", settings.mandatory);
  requireFlag("persistent", settings.persistent);
  requireDuration("confirmTimeout", settings.confirmTimeout);
  if (!(Number.isInteger(settings.window) && settings.window >= 1)) {
    throw invalidOption("window", settings.window, "an integer ≥ 1");
  }
  return settings;
}

/** Names of queues and exchanges, and routing keys. @throws {LabError} `INVALID_OPTION` */
export function requireName(name: string, got: string): void {
  if (typeof got !== "string" || Buffer.byteLength(got) > 255) {
    throw invalidOption(name, got, "a string of at most 255 bytes");
  }
}

function connectionSettings(options: ConnectionOptions): ConnectionSettings {
  const { connect, connectTimeout = 15_000, backoff = {} } = options;
  const connects: readonly AmqpConnect[] = typeof connect === "function" ? [connect] : connect;
  if (!Array.isArray(connects) || connects.length === 0 || !connects.every(isFunction)) {
    throw invalidOption(
      "connect",
      connect,
      "a function that makes a connection, or several",
      "For example: (defaults) => amqplib.connect(url, { ...defaults }).",
    );
  }
  requireDuration("connectTimeout", connectTimeout);
  const { base = 100, cap = 30_000 } = backoff;
  requireDuration("backoff.base", base);
  requireDuration("backoff.cap", cap);
  if (cap < base) throw invalidOption("backoff.cap", cap, "not below `backoff.base`");
  return { connects, connectTimeout, backoff: { base, cap } };
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

function requireOneOf(name: string, got: unknown, allowed: readonly string[]): void {
  if (allowed.some((value) => value === got)) return;
  throw invalidOption(name, got, allowed.map((value) => JSON.stringify(value)).join(" or "));
}

function requireFlag(name: string, got: unknown): void {
  if (typeof got !== "boolean") throw invalidOption(name, got, "true or false");
}

/** Longer than this, Node's timers fire at once. */
const longestTimer = 2 ** 31 - 1;

function requireDuration(name: string, got: number): void {
  if (!(Number.isFinite(got) && got > 0 && got <= longestTimer)) {
    throw invalidOption(name, got, `a number of milliseconds above 0, at most ${longestTimer}`);
  }
}
