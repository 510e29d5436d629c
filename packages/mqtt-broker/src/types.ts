import type { EventEmitter } from "node:events";
import type { Duplex } from "node:stream";
import type { SecureContextOptions } from "node:tls";

export type Qos = 0 | 1 | 2;

/** Properties of a message in MQTT 5, named as mqtt.js names them. Clients of 3.1.1 do not get them. */
export interface MessageProperties {
  /** The payload is UTF-8 text. */
  readonly payloadFormatIndicator?: boolean;
  /** In seconds. What has not been delivered by then is dropped. */
  readonly messageExpiryInterval?: number;
  readonly contentType?: string;
  readonly responseTopic?: string;
  readonly correlationData?: Uint8Array;
  /** A name with several values has an array of them. */
  readonly userProperties?: Readonly<Record<string, string | readonly string[]>>;
}

/** A message for {@link MqttBroker.inject}. */
export interface InjectedMessage {
  readonly topic: string;
  /** Text is sent as UTF-8. Bytes must not change before the promise of `inject` has settled. */
  readonly payload: Uint8Array | string;
  /** @default 0 */
  readonly qos?: Qos;
  /** The broker keeps the message for later subscribers; an empty payload removes the one it keeps. @default false */
  readonly retain?: boolean;
  readonly properties?: MessageProperties;
}

/** A message that a client has published, as `onMessages` gets it. */
export interface ReceivedMessage {
  readonly topic: string;
  /** A part of what was read from the socket. Copy it where a few bytes are to be kept for long. */
  readonly payload: Buffer;
  readonly qos: Qos;
  readonly retain: boolean;
  /** Read on demand; `undefined` where there are none. */
  readonly properties: MessageProperties | undefined;
}

/** A connected client. */
export interface ClientInfo {
  readonly clientId: string;
  readonly username: string | undefined;
  /** 4 is MQTT 3.1.1. */
  readonly protocolVersion: 4 | 5;
  readonly remoteAddress: string | undefined;
}

/** What a client says of itself when it connects. */
export interface Credentials extends ClientInfo {
  readonly password: Buffer | undefined;
}

/** A subscription of a client. */
export interface SubscriptionInfo {
  /** As the client gave it, `$share/group/filter` included. */
  readonly filter: string;
  /** Granted. */
  readonly qos: Qos;
}

/** Decisions that are the application's. One that throws or rejects refuses, and `hookFailed` tells. */
export interface BrokerHooks {
  /** Lets a client in, or refuses its user name and password. Nothing more is read from it before. @default lets everybody in */
  readonly authenticate?: (credentials: Credentials) => boolean | Promise<boolean>;
  /**
   * Lets a client publish to a topic. Synchronous, since it is asked for every message: load what it needs in
   * `authenticate`. Asked of wills too, when the client connects. @default allows everything
   */
  readonly authorizePublish?: (client: ClientInfo, topic: string) => boolean;
  /** Lets a client subscribe to a filter. @default allows everything */
  readonly authorizeSubscribe?: (
    client: ClientInfo,
    subscription: SubscriptionInfo,
  ) => boolean | Promise<boolean>;
  /**
   * The application's own subscription to everything: called once for what one read of a socket has brought, wills
   * included, in order. The clients' acknowledgements wait for the promise, so that a publisher's window fills when the
   * application is slow; nothing else waits. Injected messages are not shown. @default none
   */
  readonly onMessages?: (
    messages: readonly ReceivedMessage[],
    client: ClientInfo,
  ) => void | Promise<void>;
}

export interface BrokerLimits {
  /** Clients connected at once. @default 10_000 */
  readonly maxClients: number;
  /** Sessions, those that wait for their client included. @default 20_000 */
  readonly maxSessions: number;
  /** Subscriptions of a session. @default 100_000 */
  readonly maxSubscriptions: number;
  /** Messages sent to a client and not acknowledged; less where the client asks for less. 1 to 65535. @default 65_535 */
  readonly maxInflight: number;
  /** Messages that wait for a client, or for a shared subscription. @default 100_000 */
  readonly maxQueuedMessages: number;
  /** Bytes of topics, properties and payloads that wait for a client, or for a shared subscription. @default 64 MiB */
  readonly maxQueuedBytes: number;
  /** Bytes of one packet, in either direction. @default 16 MiB */
  readonly maxPacketSize: number;
  /** Levels of a topic or filter. @default 128 */
  readonly maxTopicLevels: number;
  /** Messages retained. @default 100_000 */
  readonly maxRetainedMessages: number;
  /** Bytes of topics, properties and payloads retained. @default 128 MiB */
  readonly maxRetainedBytes: number;
  /** QoS 1 and 2 messages of one client that are not acknowledged yet. 1 to 65535. @default 8_192 */
  readonly receiveMaximum: number;
  /** Topic aliases of one client in each direction, 0 for none. @default 1_024 */
  readonly topicAliasMaximum: number;
  /** Longest life of a session without its client, in seconds. @default 604_800, a week */
  readonly maxSessionExpiry: number;
  /** Longest wait for CONNECT, in ms. @default 10_000 */
  readonly connectTimeout: number;
  /** A client whose queue stays more than half full for so long, in ms, is disconnected. @default 30_000 */
  readonly slowClientTimeout: number;
}

export interface MqttBrokerOptions extends Partial<BrokerLimits>, BrokerHooks {}

export interface ListenOptions {
  /** @default 1883; 0 for any that is free */
  readonly port?: number;
  /** @default "127.0.0.1": this machine only */
  readonly host?: string;
  /** Certificate and key of a TLS listener, as `tls.createServer` takes them. @default plain TCP */
  readonly tls?: TlsListenOptions;
  /** MQTT over WebSocket, on any path. With `tls`: wss. @default false */
  readonly webSocket?: boolean;
}

export interface TlsListenOptions extends SecureContextOptions {
  /** Asks clients for a certificate and refuses those that `ca` does not vouch for. @default false */
  readonly requestCert?: boolean;
}

/** One listener of a broker. */
export interface Listener {
  readonly host: string;
  readonly port: number;
  /** mqtt, mqtts, ws or wss, with host and port. */
  readonly url: string;
  /** Takes no more connections. Those that are open stay. */
  close(): Promise<void>;
}

/** Why messages for a client, or of it, were dropped. */
export type DropReason =
  /** The queue of a session that is not connected is full. */
  | "queue-full"
  /** QoS 0, and the client does not keep up. */
  | "slow-client"
  /** Larger than the client takes. */
  | "packet-too-large"
  /** A client of 3.1.1 published what is not allowed, or more than may be retained: it cannot be told. */
  | "refused";

export interface BrokerEvents {
  connect: [client: ClientInfo, session: { readonly present: boolean }];
  /** The reason code is that of MQTT 5 for every client; 0 for a DISCONNECT of the client's. */
  disconnect: [client: ClientInfo, why: { readonly reasonCode: number; readonly reason: string }];
  subscribe: [client: ClientInfo, subscriptions: readonly SubscriptionInfo[]];
  unsubscribe: [client: ClientInfo, filters: readonly string[]];
  /** A session has ended: its subscriptions and what was queued for it are gone. */
  sessionEnd: [clientId: string];
  /** A message was dropped. At most one event per client and reason in a second, with the number since the last. */
  drop: [clientId: string, why: { readonly reason: DropReason; readonly messages: number }];
  /** A hook threw or rejected. What it was asked for was refused. */
  hookFailed: [error: Error, hook: keyof BrokerHooks];
}

export interface BrokerStats {
  readonly clients: number;
  readonly sessions: number;
  readonly subscriptions: number;
  readonly retainedMessages: number;
  /** Messages waiting for clients and shared subscriptions. */
  readonly queuedMessages: number;
  /** Since the start: PUBLISH packets from clients, messages injected, PUBLISH packets written, messages dropped. */
  readonly received: number;
  readonly injected: number;
  readonly sent: number;
  readonly dropped: number;
}

/** An MQTT broker in this process. Sessions, queues and retained messages are in memory and end with it. */
export interface MqttBroker extends EventEmitter<BrokerEvents>, AsyncDisposable {
  /**
   * Takes connections. May be called several times: TCP, TLS and WebSocket side by side.
   * @throws {LabError} `INVALID_OPTION`; `BROKER_START_FAILED` when the port is taken or the address is not ours
   */
  listen(options?: ListenOptions): Promise<Listener>;
  /** Serves a connection that the application has accepted itself. */
  attach(stream: Duplex, remoteAddress?: string): void;
  /**
   * Publishes messages in order. Each topic is matched once; each client gets one write for up to a thousand
   * messages. Resolves when they are written or queued and no connected client is far behind, so that awaiting it
   * bounds memory; a client that stays behind is disconnected after `slowClientTimeout`. Subscribers need not have
   * acknowledged by then.
   * @throws {InjectError} `PUBLISH_FAILED`: names the messages that were refused; all others were published
   * @throws {LabError} `INVALID_OPTION` when it is not an array; `CONNECTION_LOST` when the broker is closed
   */
  inject(messages: readonly InjectedMessage[]): Promise<void>;
  /**
   * Disconnects a client. False where no such client is connected.
   * @param reasonCode of MQTT 5. @default 0x98, administrative action
   */
  disconnect(clientId: string, reasonCode?: number, reason?: string): boolean;
  stats(): BrokerStats;
  /** Disconnects every client, closes the listeners and forgets everything. A second call joins the first. */
  close(): Promise<void>;
}
