import { type Clock, systemClock } from "../clock.ts";
import { invalidOption, LabError } from "../errors.ts";
import type { Publisher, Subscriber } from "../ports.ts";
import type { BrokerAccess, Connection } from "./access.ts";
import { MemoryPublisher } from "./publisher.ts";
import { MemoryQueue, type QueueOptions } from "./queue.ts";
import { MemorySubscriber } from "./subscriber.ts";

export interface MemoryBrokerOptions {
  /** Clients have to give the same one. @default none is asked for */
  readonly password?: string;
  /** A message with a longer body is refused. @default no limit */
  readonly maxBodyBytes?: number;
  /** Decides when lost connections are tried again. @default the system's time */
  readonly clock?: Clock;
}

export interface MemoryClientOptions {
  readonly password?: string;
}

/** What a queue holds now. */
export interface QueueDepth {
  /** Waiting to be delivered. */
  readonly ready: number;
  /** Delivered and not settled. */
  readonly unsettled: number;
  /** Deliveries since the queue was created, redeliveries included. */
  readonly delivered: number;
}

/**
 * A broker in this process, for tests, examples and as the reference for adapters. Named queues with competing
 * consumers that settle one by one; what is not settled when a session ends takes its old place in the queue.
 * Messages live as long as the broker does, through `stop` and `start`. Faults are calls: `cut`, `stop`, `restart`.
 *
 * It opens no handle: a process with nothing else to do ends, subscribed or not.
 */
export class MemoryBroker {
  readonly #password: string | undefined;
  readonly #maxBodyBytes: number;
  readonly #clock: Clock;
  readonly #queues = new Map<string, MemoryQueue>();
  readonly #connections = new Set<Connection>();
  #running = true;

  constructor(options: MemoryBrokerOptions = {}) {
    this.#password = options.password;
    requireCount("maxBodyBytes", options.maxBodyBytes);
    this.#maxBodyBytes = options.maxBodyBytes ?? Number.POSITIVE_INFINITY;
    this.#clock = options.clock ?? systemClock;
  }

  /** @throws {LabError} `INVALID_OPTION`: the name is taken, an option is wrong, or the dead-letter queue is missing. */
  createQueue(name: string, options: QueueOptions = {}): void {
    if (this.#queues.has(name)) {
      throw invalidOption("name", name, "a name that no queue has yet");
    }
    requireCount("maxDeliveries", options.maxDeliveries);
    const deadLetters = options.deadLetterQueue;
    const deadLetterQueue = deadLetters === undefined ? undefined : this.#queues.get(deadLetters);
    if (deadLetters !== undefined && deadLetterQueue === undefined) {
      throw invalidOption("deadLetterQueue", deadLetters, "an existing queue", "Create it first.");
    }
    this.#queues.set(name, new MemoryQueue(name, deadLetterQueue, options));
  }

  /** Deletes a queue with all it holds; its subscriptions fail for good. */
  deleteQueue(name: string): void {
    const queue = this.#queue(name);
    this.#queues.delete(name);
    queue.delete();
  }

  /** Removes the messages that are ready and says how many they were. */
  purge(queue: string): number {
    return this.#queue(queue).purge();
  }

  depth(queue: string): QueueDepth {
    const { ready, unsettled, delivered } = this.#queue(queue);
    return { ready, unsettled, delivered };
  }

  subscriber(options: MemoryClientOptions = {}): Subscriber {
    return new MemorySubscriber(this.#access(options));
  }

  /**
   * A publisher; destinations are names of queues. It copies what it is given, so that a buffer can be used again as
   * soon as `publish` has returned. It fails at once while the broker is down.
   */
  publisher(options: MemoryClientOptions = {}): Publisher {
    return new MemoryPublisher(this.#access(options));
  }

  /** Cuts every connection at once, without a goodbye. Subscriptions come back by themselves. */
  cut(): void {
    this.#dropConnections("the connection was cut");
  }

  /** Cuts every connection and refuses new ones until `start`. */
  stop(): void {
    this.#running = false;
    this.#dropConnections("the broker was stopped");
  }

  start(): void {
    this.#running = true;
  }

  /** Is down for `downtime` ms; resolves when connections are accepted again. */
  async restart(downtime = 20): Promise<void> {
    this.stop();
    await new Promise<void>((resolve) => {
      this.#clock.setTimeout(resolve, downtime);
    });
    this.start();
  }

  #dropConnections(why: string): void {
    const cause = new LabError("CONNECTION_LOST", `Lost the memory broker: ${why}.`);
    for (const connection of [...this.#connections]) connection.connectionLost(cause);
  }

  #access({ password }: MemoryClientOptions): BrokerAccess {
    return {
      clock: this.#clock,
      maxBodyBytes: this.#maxBodyBytes,
      open: (name) => {
        if (!this.#running) {
          throw new LabError("BROKER_UNREACHABLE", "The memory broker is stopped. Call `start()`.");
        }
        if (this.#password !== undefined && password !== this.#password) {
          throw new LabError(
            "ACCESS_REFUSED",
            "The memory broker refuses the password. Give the one that the broker was made with.",
          );
        }
        return this.#queue(name);
      },
      connect: (connection) => this.#connections.add(connection),
      disconnect: (connection) => this.#connections.delete(connection),
    };
  }

  #queue(name: string): MemoryQueue {
    const queue = this.#queues.get(name);
    if (queue === undefined) {
      throw new LabError(
        "SOURCE_MISSING",
        `There is no queue "${name}" at the memory broker. Create it first: createQueue("${name}").`,
      );
    }
    return queue;
  }
}

function requireCount(name: string, value: number | undefined): void {
  if (value !== undefined && !(Number.isInteger(value) && value >= 1)) {
    throw invalidOption(name, value, "an integer ≥ 1");
  }
}
