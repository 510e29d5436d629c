import { LabError } from "@lab/core";
import { Backoff } from "@lab/core/adapter";
import type { IConnackPacket, IDisconnectPacket, MqttClient, Packet } from "mqtt";
import { addressOf, connectionFault } from "./refusal.ts";

/** Longest wait between two attempts to connect, in ms. The first is mqtt.js's `reconnectPeriod`. */
const longestReconnectPeriod = 30_000;

/** A connection that has lasted so long, in ms, does not count as one more failure. */
const steady = 5_000;

/** How long a connection may take to close after DISCONNECT, in ms. */
const closeTimeout = 3_000;

export interface LinkEvents {
  /** The broker has accepted the connection. Nothing that it has sent behind that has been looked at yet. */
  connected(connack: IConnackPacket): void;
  /** mqtt.js sends again. */
  ready(): void;
  /** The connection is gone; mqtt.js tries for ever to get a new one. */
  lost(cause: LabError): void;
  /** The first connection has failed, or the broker refuses the client for good. To be ended. */
  failed(error: LabError): void;
}

/** mqtt.js's connection, told as what matters. */
export class Link {
  readonly client: MqttClient;
  /** Connections to try before it has failed: one for each server that the user's client knows. */
  readonly attempts: number;
  readonly #events: LinkEvents;
  readonly #backoff: Backoff;
  #failures = 0;
  #up = false;
  #established = false;
  #ended = false;
  #fault: unknown;
  #lasting: NodeJS.Timeout | undefined;

  /** To be called in the turn in which the client was made. */
  constructor(client: MqttClient, events: LinkEvents) {
    this.client = client;
    this.#events = events;
    this.attempts = client.options.servers?.length ?? 1;
    const base = client.options.reconnectPeriod as number;
    const cap = Math.max(base, longestReconnectPeriod);
    this.#backoff = new Backoff({ base, cap, jitter: 0.5 });
    this.#waitLonger();
    client.on("packetreceive", this.#onPacket);
    client.on("reconnect", this.#onReconnect);
    client.on("connect", this.#onReady);
    client.on("disconnect", this.#onDisconnect);
    client.on("error", this.#onError);
    client.on("close", this.#onClose);
  }

  /** Says goodbye where it can and leaves nothing open. Never rejects; takes a few seconds at most. */
  async end(graceful: boolean): Promise<void> {
    this.#ended = true;
    const { client } = this;
    const { stream } = client;
    const closed = new Promise<void>((resolve) => {
      if (stream.closed) resolve();
      else stream.once("close", () => resolve());
    });
    client.end(!(graceful && this.#up));
    // mqtt.js alone may wait for ever: for the answer to what is in flight, or for the broker to close.
    const timer = setTimeout(() => stream.destroy(), closeTimeout);
    await closed;
    clearTimeout(timer);
  }

  /** mqtt.js's own `connect` event comes later than the first messages. */
  readonly #onPacket = (packet: Packet): void => {
    if (packet.cmd !== "connack" || (packet.reasonCode ?? packet.returnCode ?? 0) !== 0) return;
    this.client.off("packetreceive", this.#onPacket); // It would cost a call per packet.
    this.#fault = undefined;
    this.#lasting = setTimeout(() => {
      this.#backoff.reset();
      this.#waitLonger();
    }, steady).unref();
    setNoDelay(this.client);
    this.#up = true;
    if (!this.#ended) this.#events.connected(packet);
  };

  readonly #onReady = (): void => {
    this.#established = true;
    if (!this.#ended) this.#events.ready();
  };

  readonly #onReconnect = (): void => {
    this.#waitLonger();
    this.client.off("packetreceive", this.#onPacket);
    this.client.on("packetreceive", this.#onPacket);
  };

  readonly #onError = (error: Error): void => {
    this.#fault = error;
    const fault = connectionFault(this.client, error);
    if (fault.final) this.#fail(fault.error);
    // A packet that cannot be read: mqtt.js reports it, and reads on in the middle of nowhere.
    else if (this.#up && !("code" in error)) this.client.stream.destroy();
  };

  readonly #onDisconnect = ({ reasonCode, properties }: IDisconnectPacket): void => {
    const why = properties?.reasonString ?? "the broker ended it";
    this.#onError(Object.assign(new Error(why), { code: reasonCode }));
  };

  readonly #onClose = (): void => {
    clearTimeout(this.#lasting);
    if (this.#ended) return;
    const cause = this.#fault ?? new Error("it was closed");
    this.#fault = undefined;
    if (this.#up) {
      this.#up = false;
      const { message } = cause as Error;
      const text = `Lost the connection to the broker at ${addressOf(this.client.options)}: ${message}.`;
      this.#events.lost(new LabError("CONNECTION_LOST", text, { cause }));
    } else if (!this.#established && ++this.#failures >= this.attempts) {
      this.#fail(connectionFault(this.client, cause).error);
    }
  };

  #fail(error: LabError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#events.failed(error);
  }

  /**
   * mqtt.js waits equally long after every failure: many clients would come back at once, and two with one client id
   * would push each other out without pause.
   */
  #waitLonger(): void {
    this.client.options.reconnectPeriod = Math.ceil(this.#backoff.next());
  }
}

/** mqtt.js leaves Nagle's algorithm on: each awaited publish or acknowledgement would take 40 ms. */
function setNoDelay({ stream }: MqttClient): void {
  if ("setNoDelay" in stream && typeof stream.setNoDelay === "function") stream.setNoDelay(true);
}
