import { invalidOption } from "@lab/core/adapter";
import type { IClientOptions, MqttClient } from "mqtt";

/** What a subscriber or publisher needs of its client: spread it into the options of `mqtt.connect`. */
export type MqttDefaults = Pick<
  IClientOptions,
  | "protocolVersion"
  | "clean"
  | "connectTimeout"
  | "resubscribe"
  | "reconnectOnConnackError"
  | "log"
  | "properties"
>;

/**
 * Makes the client, in this call: `(defaults) => mqtt.connect(url, { ...defaults, clientId: "orders-1" })`. Everything
 * that mqtt.js can be told (TLS, credentials, keep-alive, several servers, WebSocket) is told here. A client that was
 * made earlier would already have acknowledged, and lost, what waited for it at the broker.
 */
export type MqttConnect = (defaults: MqttDefaults) => MqttClient;

export interface MqttSubscriberOptions {
  /** Called once for each subscription. A persistent session needs a `clientId` of its own. */
  readonly connect: MqttConnect;
  /** MQTT 5, or 4 for MQTT 3.1.1. @default 5 */
  readonly protocolVersion?: 4 | 5;
  /**
   * The session outlives its connection: the broker keeps what arrives while nobody is connected, and deliveries in
   * hand stay valid over a reconnect. With false every cut ends the session, and what it had not settled is lost.
   * @default true
   */
  readonly persistent?: boolean;
  /** 1 = at least once. 0 = at most once: there is nothing to acknowledge. QoS 2 is not offered. @default 1 */
  readonly qos?: 0 | 1;
  /**
   * Order of the acknowledgements. `received`: as MQTT asks for, so one slow message holds the window. `settled`: at
   * once; mosquitto accepts it. @default "received"
   */
  readonly settleOrder?: "received" | "settled";
  /** Longest wait for the connection and the broker's answer to the subscription, in ms. @default 15_000 */
  readonly connectTimeout?: number;
}

export interface MqttPublisherOptions {
  /** Called at the first `publish`, and again after the broker has refused the client. */
  readonly connect: MqttConnect;
  /** MQTT 5, or 4 for MQTT 3.1.1, which carries neither keys nor headers. @default 5 */
  readonly protocolVersion?: 4 | 5;
  /** 1 = confirmed by the broker. 0 = handed to the connection, unconfirmed. @default 1 */
  readonly qos?: 0 | 1;
  /** The broker keeps the last message of each topic for later subscribers. @default false */
  readonly retain?: boolean;
  /** Most messages unconfirmed at once; less where the broker asks for less (MQTT 5). @default 1_000 */
  readonly window?: number;
  /** When nothing has been confirmed for so long, in ms, what is unconfirmed has failed. @default 30_000 */
  readonly confirmTimeout?: number;
  /** Longest wait for the connection, in ms. @default 15_000 */
  readonly connectTimeout?: number;
}

/** Options with every default filled in. */
export type Settings<Options> = { readonly [Name in keyof Options]-?: Options[Name] };

/** @throws {LabError} `INVALID_OPTION` */
export function subscriberSettings(
  options: MqttSubscriberOptions,
): Settings<MqttSubscriberOptions> {
  const settings = {
    connect: options.connect,
    protocolVersion: options.protocolVersion ?? 5,
    persistent: options.persistent ?? true,
    qos: options.qos ?? 1,
    settleOrder: options.settleOrder ?? "received",
    connectTimeout: options.connectTimeout ?? 15_000,
  };
  requireConnection(settings);
  requireFlag("persistent", settings.persistent);
  requireOneOf("settleOrder", settings.settleOrder, ["received", "settled"]);
  return settings;
}

/** @throws {LabError} `INVALID_OPTION` */
export function publisherSettings(options: MqttPublisherOptions): Settings<MqttPublisherOptions> {
  const settings = {
    connect: options.connect,
    protocolVersion: options.protocolVersion ?? 5,
    qos: options.qos ?? 1,
    retain: options.retain ?? false,
    window: options.window ?? 1_000,
    confirmTimeout: options.confirmTimeout ?? 30_000,
    connectTimeout: options.connectTimeout ?? 15_000,
  };
  requireConnection(settings);
  requireFlag("retain", settings.retain);
  requireDuration("confirmTimeout", settings.confirmTimeout);
  if (!(Number.isInteger(settings.window) && settings.window >= 1 && settings.window <= 65_535)) {
    throw invalidOption("window", settings.window, "an integer from 1 to 65535");
  }
  return settings;
}

function requireConnection(
  settings: Pick<
    Settings<MqttSubscriberOptions>,
    "connect" | "protocolVersion" | "qos" | "connectTimeout"
  >,
): void {
  if (typeof settings.connect !== "function") {
    throw invalidOption(
      "connect",
      settings.connect,
      "a function that makes the client",
      "For example: (defaults) => mqtt.connect(url, { ...defaults, clientId }).",
    );
  }
  requireOneOf("protocolVersion", settings.protocolVersion, [4, 5]);
  requireOneOf(
    "qos",
    settings.qos,
    [0, 1],
    "QoS 2 is over before the handler has run, so it cannot promise more than QoS 1.",
  );
  requireDuration("connectTimeout", settings.connectTimeout);
}

function requireOneOf(
  name: string,
  got: unknown,
  allowed: readonly unknown[],
  todo?: string,
): void {
  if (!allowed.includes(got)) {
    throw invalidOption(
      name,
      got,
      allowed.map((value) => JSON.stringify(value)).join(" or "),
      todo,
    );
  }
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
