import { EventEmitter } from "node:events";
import type { Duplex } from "node:stream";
import { LabError } from "@lab/core";
import { invalidOption } from "@lab/core/adapter";
import { Connection } from "./connection.ts";
import { Hub } from "./hub.ts";
import { Injector } from "./injector.ts";
import { listen, type OpenListener } from "./listener.ts";
import { settingsOf } from "./options.ts";
import { Reason } from "./reason.ts";
import type {
  BrokerEvents,
  BrokerStats,
  InjectedMessage,
  Listener,
  ListenOptions,
  MqttBroker,
  MqttBrokerOptions,
} from "./types.ts";

/**
 * Makes a broker. It takes connections once `listen` has been called; `inject` works at once.
 * @throws {LabError} `INVALID_OPTION`
 */
export function createMqttBroker(options: MqttBrokerOptions = {}): MqttBroker {
  return new Broker(options);
}

class Broker extends EventEmitter<BrokerEvents> implements MqttBroker {
  readonly #hub: Hub;
  readonly #injector: Injector;
  readonly #listeners = new Set<OpenListener>();
  readonly #connections = new Set<Connection>();
  readonly #streams = new Set<Duplex>();
  #closing: Promise<void> | undefined;

  constructor(options: MqttBrokerOptions) {
    super();
    this.#hub = new Hub(settingsOf(options), this);
    this.#injector = new Injector(this.#hub);
  }

  async listen(options: ListenOptions = {}): Promise<Listener> {
    this.#requireOpen();
    const { maxPacketSize } = this.#hub.settings;
    const listener = await listen(options, maxPacketSize, (stream, remoteAddress) =>
      this.#accept(stream, remoteAddress),
    );
    this.#listeners.add(listener);
    if (this.#closing !== undefined) {
      await listener.close();
      listener.destroy();
    }
    return listener;
  }

  attach(stream: Duplex, remoteAddress?: string): void {
    this.#requireOpen();
    this.#accept(stream, remoteAddress);
  }

  inject(messages: readonly InjectedMessage[]): Promise<void> {
    return this.#injector.inject(messages);
  }

  disconnect(
    clientId: string,
    reasonCode: number = Reason.administrativeAction,
    reason = "The client was disconnected by the application.",
  ): boolean {
    if (!(Number.isInteger(reasonCode) && reasonCode >= 0x80 && reasonCode <= 0xa2)) {
      throw invalidOption("reasonCode", reasonCode, "a reason of DISCONNECT, 0x80 to 0xa2");
    }
    const { client } = this.#hub.sessions.get(clientId) ?? {};
    client?.close(reasonCode, reason);
    this.#hub.flush();
    return client !== undefined;
  }

  stats(): BrokerStats {
    const { clients, sessions, subscriptions, retained, groups, drops } = this.#hub;
    const { received, injected, sentBefore } = this.#hub;
    let queuedMessages = 0;
    for (const session of sessions) queuedMessages += session.outbox.queued;
    for (const group of groups) queuedMessages += group.queued;
    let sent = sentBefore;
    for (const { line } of clients) sent += line.sent;
    return {
      clients: clients.size,
      sessions: sessions.size,
      subscriptions: subscriptions.size,
      retainedMessages: retained.size,
      queuedMessages,
      received,
      injected,
      sent,
      dropped: drops.total,
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#injector.close();
    for (const listener of this.#listeners) await listener.close();
    const closed = [...this.#streams].map(
      (stream) => stream.closed || new Promise((resolve) => stream.once("close", resolve)),
    );
    for (const connection of [...this.#connections]) {
      connection.close(Reason.serverShuttingDown, "The broker is closed.");
    }
    await Promise.all(closed);
    for (const listener of this.#listeners) listener.destroy();
    this.#hub.close();
  }

  #accept(stream: Duplex, remoteAddress: string | undefined): void {
    const { clients, settings } = this.#hub;
    stream.on("error", () => {}); // Whenever: it is no fault of the process.
    // Those who have not introduced themselves are limited too.
    const strangers = this.#connections.size - clients.size;
    if (this.#closing !== undefined || strangers >= settings.maxClients) {
      stream.destroy();
      return;
    }
    this.#streams.add(stream);
    stream.once("close", () => this.#streams.delete(stream));
    const connection: Connection = new Connection(this.#hub, stream, remoteAddress, () =>
      this.#connections.delete(connection),
    );
    this.#connections.add(connection);
  }

  #requireOpen(): void {
    if (this.#closing === undefined) return;
    throw new LabError("CONNECTION_LOST", "The broker is closed. Make a new one.");
  }
}
