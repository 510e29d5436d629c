import { invalidOption } from "@lab/core/adapter";
import type solace from "solclientjs";
import type { SolaceModule } from "./solclient.ts";
import { topicDestination } from "./topic.ts";

/** What a subscriber or publisher needs of its session: spread it into the argument of `createSession`. */
export interface SolaceDefaults {
  /** In ms, for each host of a list. */
  readonly connectTimeoutInMsecs: number;
  /** Each host is tried once: whoever starts wants to know at once. */
  readonly connectRetries: 0;
  /**
   * A lost connection is restored from here: without end, with back-off, with the reason told, which the client keeps to itself
   * as long as it tries, and with nothing left open when the subscription is closed meanwhile.
   */
  readonly reconnectRetries: 0;
  readonly publisherProperties: solace.MessagePublisherProperties;
}

/**
 * Makes a session, and does not connect it: `(defaults) => solace.SolclientFactory.createSession({ ...defaults, url,
 * vpnName, userName, password })`. Everything that the client can be told (hosts, TLS, client certificate, OAuth, keep-alive,
 * client name) is told here. Called again after the broker has refused a login, so that a token can be a fresh one.
 */
export type SolaceConnect = (
  defaults: SolaceDefaults,
) => solace.Session | PromiseLike<solace.Session>;

/** How long to wait before connecting again: twice as long each time, half of it random. */
export interface SolaceBackoff {
  /** The first wait, in ms. @default 100 */
  readonly base?: number;
  /** The longest wait, in ms. @default 30_000 */
  readonly cap?: number;
}

/** Creates what is missing at the broker. What is there stays as it is. */
export interface SolaceProvision {
  /** Of a queue or topic endpoint that is created. @default the broker's own: exclusive, for one */
  readonly properties?: solace.QueueProperties;
  /** Topics that the queue is to subscribe to, beside those it has. @default none */
  readonly topics?: readonly string[];
}

interface ConnectionOptions {
  /** The module: `import solace from "solclientjs"`, after `solace.SolclientFactory.init`. */
  readonly solace: SolaceModule;
  readonly connect: SolaceConnect;
  /** Longest wait for a connection, for each host, and for each answer of the broker after that, in ms. @default 15_000 */
  readonly connectTimeout?: number;
  /** Wait before connecting again. @default { base: 100, cap: 30_000 } */
  readonly backoff?: SolaceBackoff;
}

export interface SolaceSubscriberOptions extends ConnectionOptions {
  /** The source is a durable topic endpoint, subscribed to this topic. Without it the source is a queue. */
  readonly topic?: string;
  /** Creates the queue or topic endpoint where it is missing. Without it there has to be one. */
  readonly provision?: SolaceProvision;
  /**
   * The broker can take negative acknowledgements: `nack` and `reject`. Needs a broker of version 10.2.1 or later.
   * @default true
   */
  readonly nacks?: boolean;
  /**
   * The queue counts deliveries ("delivery count" is enabled there): `deliveryCount` is a number.
   * @default false
   */
  readonly deliveryCount?: boolean;
  /** The queue is partitioned, so that several members keep the order of keys. @default false */
  readonly partitioned?: boolean;
  /**
   * How many messages the client reads ahead, 1 to 255: Solace's window size of a flow. They are held in memory beside the
   * window, and no other member gets them. Without it the window, at most 64.
   */
  readonly readAhead?: number;
  /** How long the client collects acknowledgements before it sends them, in ms, 20 to 1500. @default 20 */
  readonly ackInterval?: number;
}

export interface SolacePublisherOptions extends ConnectionOptions {
  /** What a destination names. @default "topic" */
  readonly destination?: "topic" | "queue";
  /**
   * What expires, is rejected or is delivered too often goes to the dead message queue, where there is one. With false it is
   * dropped. @default true
   */
  readonly deadMessageQueueEligible?: boolean;
  /** Most messages unconfirmed at once, 1 to 255. @default 255 */
  readonly window?: number;
  /** When nothing has been confirmed for so long, in ms, what is unconfirmed has failed. @default 30_000 */
  readonly confirmTimeout?: number;
}

export interface ConnectionSettings {
  readonly solace: SolaceModule;
  readonly connect: SolaceConnect;
  readonly connectTimeout: number;
  readonly backoff: Required<SolaceBackoff>;
}

/** Options with every default filled in. */
export type SubscriberSettings = ConnectionSettings &
  Required<
    Pick<SolaceSubscriberOptions, "nacks" | "deliveryCount" | "partitioned" | "ackInterval">
  > &
  Pick<SolaceSubscriberOptions, "topic" | "provision" | "readAhead">;

export type PublisherSettings = ConnectionSettings &
  Required<Omit<SolacePublisherOptions, keyof ConnectionOptions>>;

/** What the client takes of messages read ahead, and of messages unconfirmed. */
const widest = 255;

/** @throws {LabError} `INVALID_OPTION` */
export function subscriberSettings(options: SolaceSubscriberOptions): SubscriberSettings {
  const { topic, provision, readAhead } = options;
  const settings = {
    ...connectionSettings(options),
    nacks: options.nacks ?? true,
    deliveryCount: options.deliveryCount ?? false,
    partitioned: options.partitioned ?? false,
    ackInterval: options.ackInterval ?? 20,
    ...(topic !== undefined && { topic }),
    ...(provision !== undefined && { provision }),
    ...(readAhead !== undefined && { readAhead }),
  };
  requireFlag("nacks", settings.nacks);
  requireFlag("deliveryCount", settings.deliveryCount);
  requireFlag("partitioned", settings.partitioned);
  requireInteger("ackInterval", settings.ackInterval, 20, 1_500);
  if (readAhead !== undefined) requireInteger("readAhead", readAhead, 1, widest);
  if (topic !== undefined) topicDestination(settings.solace, "topic", topic);
  if (topic !== undefined && provision?.topics !== undefined) {
    const todo = "A topic endpoint has the one topic given as `topic`.";
    throw invalidOption("provision.topics", provision.topics, "left out", todo);
  }
  for (const one of provision?.topics ?? []) {
    topicDestination(settings.solace, "provision.topics", one);
  }
  return settings;
}

/** @throws {LabError} `INVALID_OPTION` */
export function publisherSettings(options: SolacePublisherOptions): PublisherSettings {
  const settings = {
    ...connectionSettings(options),
    destination: options.destination ?? "topic",
    deadMessageQueueEligible: options.deadMessageQueueEligible ?? true,
    window: options.window ?? widest,
    confirmTimeout: options.confirmTimeout ?? 30_000,
  };
  if (settings.destination !== "topic" && settings.destination !== "queue") {
    throw invalidOption("destination", settings.destination, '"topic" or "queue"');
  }
  requireFlag("deadMessageQueueEligible", settings.deadMessageQueueEligible);
  requireInteger("window", settings.window, 1, widest);
  requireDuration("confirmTimeout", settings.confirmTimeout);
  return settings;
}

/** The longest name of a queue or topic endpoint, in bytes. */
const longestName = 200;

/** Characters that may not be in it; and a slash at either end, or two in a row. */
const forbidden = /[<>*?&;\0]|^\/|\/$|\/\//;

/** Names of queues and topic endpoints. @throws {LabError} `INVALID_OPTION` */
export function requireEndpointName(name: string, got: string): void {
  const fits = typeof got === "string" && got !== "" && Buffer.byteLength(got) <= longestName;
  if (fits && !forbidden.test(got)) return;
  const expected = `a name of at most ${longestName} bytes without < > * ? & ; and empty levels`;
  throw invalidOption(name, got, expected);
}

function connectionSettings(options: ConnectionOptions): ConnectionSettings {
  const { solace, connect, connectTimeout = 15_000, backoff = {} } = options;
  if (typeof solace?.SolclientFactory?.createSession !== "function") {
    throw invalidOption(
      "solace",
      solace === undefined ? undefined : typeof solace,
      "the module solclientjs",
      'For example: import solace from "solclientjs".',
    );
  }
  if (typeof connect !== "function") {
    throw invalidOption(
      "connect",
      connect,
      "a function that makes a session",
      "For example: (defaults) => solace.SolclientFactory.createSession({ ...defaults, url, vpnName, userName, password }).",
    );
  }
  requireDuration("connectTimeout", connectTimeout);
  const { base = 100, cap = 30_000 } = backoff;
  requireDuration("backoff.base", base);
  requireDuration("backoff.cap", cap);
  if (cap < base) throw invalidOption("backoff.cap", cap, "not below `backoff.base`");
  return { solace, connect, connectTimeout, backoff: { base, cap } };
}

function requireFlag(name: string, got: unknown): void {
  if (typeof got !== "boolean") throw invalidOption(name, got, "true or false");
}

function requireInteger(name: string, got: number, least: number, most: number): void {
  if (Number.isInteger(got) && got >= least && got <= most) return;
  throw invalidOption(name, got, `an integer from ${least} to ${most}`);
}

/** Longer than this, Node's timers fire at once. */
const longestTimer = 2 ** 31 - 1;

function requireDuration(name: string, got: number): void {
  if (!(Number.isFinite(got) && got > 0 && got <= longestTimer)) {
    throw invalidOption(name, got, `a number of milliseconds above 0, at most ${longestTimer}`);
  }
}
