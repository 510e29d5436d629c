import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import { invalidOption } from "@lab/core/adapter";
import type { BrokerState, PublisherRecord, TestBrokerStats } from "./broker-state.ts";
import { Connection } from "./connection.ts";
import { Endpoint, type EndpointKind } from "./endpoint.ts";
import { type Faults, noFaults, type Refusal } from "./faults.ts";
import type { PublishedMessage } from "./message.ts";
import {
  brokerSettings,
  type QueueOptions,
  queueSettings,
  type TestBrokerOptions,
  type TestBrokerSettings,
} from "./options.ts";

/** How many refused frames are remembered. */
const remembered = 100;

/** What a queue or topic endpoint holds. */
export interface Depth {
  /** Waiting for a consumer. */
  readonly ready: number;
  /** Delivered, and not acknowledged. */
  readonly unacknowledged: number;
  readonly consumers: number;
}

/**
 * A test double of a Solace broker: enough of SMF over plain TCP for guaranteed messages through `solclientjs`. It is no
 * Solace product, and what holds here need not hold there. It keeps its queues through `stop` and `start`.
 */
export class SolaceTestBroker implements AsyncDisposable {
  readonly faults: Faults = noFaults();
  readonly stats: TestBrokerStats = {
    published: 0,
    delivered: 0,
    acknowledged: 0,
    failed: 0,
    rejected: 0,
  };
  /** Why the last malformed frames were refused. */
  readonly refusedFrames: string[] = [];
  readonly #settings: TestBrokerSettings;
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #connections = new Set<Connection>();
  readonly #publishers = new Map<string, PublisherRecord>();
  readonly #state: BrokerState;
  readonly #tls: TlsOptions | undefined;
  #port: number;
  #server: Server | undefined;
  #flows = 0;
  #messages = 0;
  #spooled = 0;

  /** @throws {LabError} `INVALID_OPTION` */
  constructor(options: TestBrokerOptions = {}) {
    this.#settings = brokerSettings(options);
    this.#port = options.port ?? 0;
    this.#tls = options.tls;
    this.#state = this.#asState();
  }

  /** `tcp://127.0.0.1:` (`tcps:` with TLS) and the port, once it was started. */
  get url(): string {
    return `${this.#tls ? "tcps" : "tcp"}://127.0.0.1:${this.#port}`;
  }

  get port(): number {
    return this.#port;
  }

  /** Listens, on the same port as before. */
  async start(): Promise<void> {
    if (this.#server !== undefined) return;
    const accept = (socket: Socket): void => {
      this.#connections.add(new Connection(this.#state, socket));
    };
    const server = this.#tls ? createTlsServer(this.#tls, accept) : createServer(accept);
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Listens no more, and cuts every connection. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = once(server, "close");
    server.close();
    this.cut();
    await closed;
    for (const endpoint of this.#endpoints.values()) endpoint.close();
  }

  /** Stops and starts again, with everything that was confirmed. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Destroys every connection, without a goodbye. */
  cut(): void {
    for (const connection of this.#connections) connection.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** @throws {LabError} `INVALID_OPTION` */
  createQueue(name: string, options: QueueOptions = {}): void {
    this.#create("queue", name, options);
  }

  /** A durable topic endpoint; a consumer gives it its topic. @throws {LabError} `INVALID_OPTION` */
  createTopicEndpoint(name: string, options: QueueOptions = {}): void {
    this.#create("topic endpoint", name, options);
  }

  /** Its consumers are told that it is gone. */
  deleteQueue(name: string): void {
    this.#delete("queue", name);
  }

  /** Has a queue take what is published to the topics of a subscription. */
  subscribe(queue: string, subscription: string): void {
    this.#named(queue).subscriptions.add(subscription);
  }

  depth(queue: string): Depth {
    const { ready, unacknowledged, flows } = this.#named(queue);
    return { ready, unacknowledged, consumers: flows.length };
  }

  /** Removes what waits for a consumer, and says how much it was. */
  purge(queue: string): number {
    return this.#named(queue).purge();
  }

  /** Ends the consumers of a queue. They may come again. */
  unbind(queue: string, refusal: Refusal): void {
    for (const flow of [...this.#named(queue).flows]) flow.unbind(refusal);
  }

  /** Serves no consumer of the queue until `enable`. It still takes messages. */
  shutDown(queue: string, refusal: Refusal = { code: 503, text: "Queue Shutdown" }): void {
    this.#named(queue).shutdown = refusal;
    this.unbind(queue, refusal);
  }

  enable(queue: string): void {
    const endpoint = this.#named(queue);
    endpoint.shutdown = undefined;
    endpoint.pump();
  }

  /** Closes every publisher's flow, as a broker does whose spool is shut down. */
  closePublishers(refusal: Refusal = { code: 503, text: "Service Unavailable" }): void {
    for (const { publishers } of this.#connections) {
      for (const flow of [...publishers.values()]) flow.close(refusal);
    }
  }

  /** Forgets what publishers have sent: they cannot go on with their flows after a reconnect. */
  forgetPublishers(): void {
    this.#publishers.clear();
  }

  #named(name: string): Endpoint {
    const endpoint =
      this.#endpoints.get(keyOf("queue", name)) ??
      this.#endpoints.get(keyOf("topic endpoint", name));
    if (endpoint === undefined) throw invalidOption("queue", name, "one that was created");
    return endpoint;
  }

  #create(kind: EndpointKind, name: string, options: QueueOptions): Endpoint {
    const key = keyOf(kind, name);
    if (this.#endpoints.has(key)) throw invalidOption("name", name, "one that is not taken");
    const bury = (message: PublishedMessage, deadMessageQueue: string): void => {
      const target = this.#endpoints.get(keyOf("queue", deadMessageQueue));
      if (target !== undefined && target !== endpoint) this.#spool(target, message);
    };
    const number = this.#endpoints.size + 1;
    const endpoint = new Endpoint(kind, name, number, queueSettings(options), bury);
    this.#endpoints.set(key, endpoint);
    return endpoint;
  }

  #delete(kind: EndpointKind, name: string): boolean {
    const key = keyOf(kind, name);
    const endpoint = this.#endpoints.get(key);
    if (endpoint === undefined) return false;
    this.#endpoints.delete(key);
    const text = kind === "queue" ? "Queue Deleted" : "Topic Endpoint Deleted";
    for (const flow of [...endpoint.flows]) flow.unbind({ code: 503, text });
    endpoint.close();
    return true;
  }

  #spool(endpoint: Endpoint, message: PublishedMessage): void {
    endpoint.spool(++this.#spooled, message);
  }

  #asState(): BrokerState {
    return {
      settings: this.#settings,
      faults: this.faults,
      stats: this.stats,
      connections: this.#connections,
      publishers: this.#publishers,
      log: this.#settings.log,
      refused: (why) => {
        this.#settings.log(`refused: ${why}`);
        this.refusedFrames.push(why);
        if (this.refusedFrames.length > remembered) this.refusedFrames.shift();
      },
      nextFlowId: () => ++this.#flows,
      nextMessageId: () => ++this.#messages,
      endpoint: (kind, name) => this.#endpoints.get(keyOf(kind, name)),
      endpoints: () => this.#endpoints.values(),
      create: (kind, name, options) => this.#create(kind, name, options),
      delete: (kind, name) => this.#delete(kind, name),
      spool: (endpoint, message) => this.#spool(endpoint, message),
    };
  }
}

function keyOf(kind: EndpointKind, name: string): string {
  return `${kind} ${name}`;
}
