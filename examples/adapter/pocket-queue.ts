// A message queue in this process, with a client as brokers have them: connections that get lost, a prefetch,
// acknowledgements by id, errors with codes. It stands for the client library of your broker, and knows nothing of @lab.
import { EventEmitter } from "node:events";
import { setImmediate as turn } from "node:timers/promises";

/** A message as it is published. */
export interface PocketMessage {
  readonly body: Uint8Array;
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A message as it is consumed. */
export interface PocketArrival extends PocketMessage {
  /** What `ack` and `release` name it by. */
  readonly id: number;
  /** How often it was delivered, this time included. */
  readonly deliveries: number;
}

export class PocketError extends Error {
  readonly code: "REFUSED" | "LOST" | "NO_QUEUE" | "TOO_LARGE";

  constructor(code: PocketError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** The longest body that the broker takes, in bytes. */
export const largestBody = 1_048_576;

export class PocketBroker {
  readonly #queues = new Map<string, PocketQueue>();
  readonly #connections = new Set<PocketConnection>();
  #running = true;

  createQueue(name: string): void {
    this.#queues.set(name, new PocketQueue());
  }

  /** Takes out what waits in a queue and says how many messages that was. */
  purge(name: string): number {
    return this.#queues.get(name)?.waiting.splice(0).length ?? 0;
  }

  /** @throws {PocketError} `REFUSED` while the broker is stopped */
  async connect(): Promise<PocketConnection> {
    await turn();
    if (!this.#running) throw new PocketError("REFUSED", "The broker is not running.");
    const connection = new PocketConnection(this.#queues);
    this.#connections.add(connection);
    connection.once("close", () => this.#connections.delete(connection));
    return connection;
  }

  /** Cuts every connection, without a goodbye. */
  cut(): void {
    for (const connection of this.#connections) connection.lose("The connection was cut.");
  }

  /** Cuts every connection and refuses new ones until `start`. The messages stay. */
  stop(): void {
    this.#running = false;
    this.cut();
  }

  start(): void {
    this.#running = true;
  }
}

interface Consumer {
  readonly queue: PocketQueue;
  readonly prefetch: number;
  readonly unsettled: Map<number, PocketArrival>;
  readonly receive: (arrival: PocketArrival) => void;
}

/** Emits `close` once, with a {@link PocketError} where it was lost; from then on nothing can be settled on it. */
export class PocketConnection extends EventEmitter<{ close: [cause?: PocketError] }> {
  readonly #queues: ReadonlyMap<string, PocketQueue>;
  /** Keeps the process alive, as a socket does. */
  readonly #socket = setInterval(() => {}, 60_000);
  #consumer: Consumer | undefined;
  #loss: PocketError | undefined;

  constructor(queues: ReadonlyMap<string, PocketQueue>) {
    super();
    this.#queues = queues;
  }

  /** Sends at most `prefetch` messages that are neither acknowledged nor released. @throws {PocketError} */
  async consume(name: string, prefetch: number, receive: Consumer["receive"]): Promise<void> {
    const queue = await this.#queue(name);
    this.#consumer = { queue, prefetch, receive, unsettled: new Map() };
    queue.add(this.#consumer);
  }

  /** Sends nothing any more; what is unsettled can still be settled. */
  cancel(): void {
    this.#consumer?.queue.remove(this.#consumer);
  }

  /** The broker forgets the message. */
  ack(id: number): void {
    if (this.#consumer?.unsettled.delete(id)) this.#consumer.queue.wake();
  }

  /** The broker delivers the message again, to anyone. */
  release(id: number): void {
    const arrival = this.#consumer?.unsettled.get(id);
    if (arrival === undefined) return;
    this.#consumer?.unsettled.delete(id);
    this.#consumer?.queue.giveBack([arrival]);
  }

  /** Resolves when the broker has stored the message. @throws {PocketError} */
  async publish(name: string, message: PocketMessage): Promise<void> {
    const queue = await this.#queue(name);
    if (message.body.byteLength > largestBody) {
      throw new PocketError("TOO_LARGE", `The broker takes ${largestBody} bytes at most.`);
    }
    queue.store({ ...message, body: Uint8Array.from(message.body) });
  }

  /** At once: what is unsettled goes back to its queue, and a publish under way fails. */
  async close(): Promise<void> {
    this.#end();
  }

  /** The broker's side: the connection breaks. */
  lose(why: string): void {
    this.#end(new PocketError("LOST", why));
  }

  #end(cause?: PocketError): void {
    if (this.#loss !== undefined) return;
    this.#loss = cause ?? new PocketError("LOST", "The connection is closed.");
    clearInterval(this.#socket);
    this.cancel();
    this.#consumer?.queue.giveBack([...this.#consumer.unsettled.values()]);
    this.emit("close", cause);
  }

  async #queue(name: string): Promise<PocketQueue> {
    await turn();
    if (this.#loss !== undefined) throw this.#loss;
    const queue = this.#queues.get(name);
    if (queue === undefined) throw new PocketError("NO_QUEUE", `There is no queue "${name}".`);
    return queue;
  }
}

/** One queue. What comes back takes its old place. */
class PocketQueue {
  readonly waiting: PocketArrival[] = [];
  readonly #consumers: Consumer[] = [];
  #stored = 0;
  #awake = false;

  store(message: PocketMessage): void {
    this.waiting.push({ ...message, id: this.#stored++, deliveries: 0 });
    this.wake();
  }

  giveBack(arrivals: readonly PocketArrival[]): void {
    this.waiting.push(...arrivals);
    this.waiting.sort((a, b) => a.id - b.id);
    this.wake();
  }

  add(consumer: Consumer): void {
    this.#consumers.push(consumer);
    this.wake();
  }

  remove(consumer: Consumer): void {
    const place = this.#consumers.indexOf(consumer);
    if (place >= 0) this.#consumers.splice(place, 1);
  }

  /** Delivers in the next turn of the event loop. */
  wake(): void {
    if (this.#awake) return;
    this.#awake = true;
    setImmediate(() => {
      this.#awake = false;
      this.#deliver();
    });
  }

  #deliver(): void {
    for (;;) {
      const consumer = this.#consumers.find(({ unsettled, prefetch }) => unsettled.size < prefetch);
      const next = consumer && this.waiting.shift();
      if (consumer === undefined || next === undefined) return;
      const arrival = { ...next, deliveries: next.deliveries + 1 };
      consumer.unsettled.set(arrival.id, arrival);
      this.remove(consumer);
      this.#consumers.push(consumer); // The consumers take turns.
      consumer.receive(arrival);
    }
  }
}
