import { LabError, type Sink, type Subscription } from "@lab/core";
import type { ClientSubscribeCallback, IConnackPacket, MqttClient } from "mqtt";
import { Link } from "./link.ts";
import type { MqttSubscriberOptions, Settings } from "./options.ts";
import { Receiver } from "./receiver.ts";
import { connectionFault, subscriptionRefusal } from "./refusal.ts";
import { isShared } from "./source.ts";

/** In ms. Often enough to see a lost connection soon. */
const longestPing = 1_000;

type Suback = Parameters<ClientSubscribeCallback>[2];

/** One subscription: a client of its own, and what it has in hand. */
export class MqttSubscription implements Subscription {
  readonly #link: Link;
  readonly #source: string;
  readonly #settings: Settings<MqttSubscriberOptions>;
  readonly #sink: Sink;
  readonly #receiver: Receiver;
  readonly #started: Promise<void>;
  #accept: () => void = () => {};
  #refuse: (error: unknown) => void = () => {};
  #state: "starting" | "open" | "closed" = "starting";
  #sessionPresent = false;
  #pings: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;

  /** To be called in the turn in which the client was made. */
  constructor(
    client: MqttClient,
    source: string,
    window: number,
    settings: Settings<MqttSubscriberOptions>,
    sink: Sink,
  ) {
    this.#source = source;
    this.#settings = settings;
    this.#sink = sink;
    this.#receiver = new Receiver({
      window,
      persistent: settings.persistent,
      inOrder: settings.settleOrder === "received",
      sink,
      // The answer to SUBSCRIBE is stuck behind the message; that there is one says as much.
      onHold: () => this.#accepted(),
    });
    client.handleMessage = this.#receiver.receive;
    this.#link = new Link(client, {
      connected: (connack) => this.#connected(connack),
      ready: () => this.#subscribe(),
      lost: (cause) => this.#lost(cause),
      failed: (error) => this.#fail(error),
    });
    this.#started = new Promise((resolve, reject) => {
      this.#accept = resolve;
      this.#refuse = reject;
    });
  }

  /** Resolves when the broker has accepted the subscription. Rejects with nothing left open. */
  async start(signal: AbortSignal | undefined): Promise<void> {
    const limit = this.#settings.connectTimeout * this.#link.attempts;
    const timer = setTimeout(() => {
      const late = new Error(`no answer within ${limit} ms`);
      this.#fail(connectionFault(this.#link.client, late).error);
    }, limit);
    const onAbort = (): void => this.#refuse(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#sink.connection("connecting");
    try {
      await this.#started;
    } catch (error) {
      await this.#shut(false, error as Error);
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** The broker is not told: it keeps for the session what it sends from now on, since nobody acknowledges that. */
  stop(): Promise<void> {
    this.#receiver.stop();
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#shut(true, new Error("the subscription was closed"));
    this.#sink.connection("closed");
  }

  #connected({ sessionPresent }: IConnackPacket): void {
    this.#sessionPresent = this.#settings.persistent && sessionPresent;
    this.#receiver.connected(this.#link.client.stream, this.#sessionPresent);
    this.#sink.connection("connected");
  }

  #lost(cause: LabError): void {
    clearInterval(this.#pings);
    if (this.#state === "starting") {
      this.#refuse(new LabError("BROKER_UNREACHABLE", cause.message, { cause }));
      return;
    }
    this.#receiver.connectionLost(cause);
    this.#sink.connection("reconnecting", cause);
  }

  /**
   * A resumed session need not have its subscription: mosquitto 2.0 forgets shared ones when it restarts. To ask again
   * does no harm, except in 3.1.1, where it brings all retained messages again unless the subscription is shared.
   */
  #subscribe(): void {
    this.#sendPings();
    const { protocolVersion, qos } = this.#settings;
    const again = this.#state === "open";
    if (again && this.#sessionPresent && protocolVersion === 4 && !isShared(this.#source)) return;
    const retainHandling = protocolVersion === 5 && again ? { rh: 1 } : {};
    this.#link.client.subscribe(this.#source, { qos, ...retainHandling }, (error, _, suback) =>
      this.#answered(error, suback),
    );
  }

  #answered(error: Error | null, suback: Suback): void {
    const reason = suback?.granted[0];
    if (typeof reason !== "number") return; // The connection is gone, and the link tells.
    const { qos } = this.#settings;
    if (reason >= 128) {
      this.#fail(subscriptionRefusal(this.#source, reason, error ?? undefined));
    } else if (reason < qos) {
      const text = `The broker grants QoS ${reason} for "${this.#source}", asked for was ${qos}: messages could be lost.`;
      this.#fail(new LabError("INVALID_OPTION", `${text} Set \`qos: ${reason}\` to accept that.`));
    } else {
      this.#accepted();
    }
  }

  #accepted(): void {
    if (this.#state !== "starting") return;
    this.#state = "open";
    this.#accept();
  }

  /**
   * While mqtt.js waits for a free place in the window it does not see the answers to its own pings, nor that the
   * connection is gone: only a write tells.
   */
  #sendPings(): void {
    const { client } = this.#link;
    clearInterval(this.#pings);
    if (!(client.keepalive > 0)) return;
    this.#pings = setInterval(
      () => {
        if (!this.#receiver.holding) return;
        client.sendPing();
        client.reschedulePing(true);
      },
      Math.min(client.keepalive * 500, longestPing),
    );
  }

  #fail(error: LabError): void {
    if (this.#state === "starting") {
      this.#refuse(error);
    } else if (this.#state === "open") {
      this.#closing ??= this.#shut(false, error);
      this.#sink.connection("closed", error);
      this.#sink.failed(error);
    }
  }

  async #shut(graceful: boolean, cause: Error): Promise<void> {
    this.#state = "closed";
    clearInterval(this.#pings);
    this.#receiver.end(cause);
    await this.#link.end(graceful);
  }
}
