import { setImmediate as turn } from "node:timers/promises";
import { messagesFault } from "../adapter/batch.ts";
import { unsupportedMessage } from "../adapter/outgoing.ts";
import { LabError, PublishError, type PublishFailure, toError } from "../errors.ts";
import type { Message, OutgoingMessage, Publisher, PublisherCapabilities } from "../ports.ts";
import type { BrokerAccess, Connection } from "./access.ts";
import type { MemoryQueue } from "./queue.ts";

const noHeaders: Readonly<Record<string, string>> = Object.freeze({});

export class MemoryPublisher implements Publisher, Connection {
  readonly capabilities: PublisherCapabilities = { headers: true, keys: true };
  readonly #access: BrokerAccess;
  #losses = 0;
  #lastLoss: Error | undefined;
  #closed = false;

  constructor(access: BrokerAccess) {
    this.#access = access;
    access.connect(this);
  }

  async publish(destination: string, messages: readonly OutgoingMessage[]): Promise<void> {
    const wrong = messagesFault(messages);
    if (wrong !== undefined) throw wrong;
    const losses = this.#losses;
    const errors = this.#store(destination, messages);
    await turn(); // As over a network: the confirmation comes later, and can get lost.
    const loss = this.#losses === losses ? undefined : this.#lastLoss;
    const failures: PublishFailure[] = [];
    for (const [index, refused] of errors.entries()) {
      const error = refused ?? loss;
      if (error !== undefined) failures.push({ index, error });
    }
    if (failures.length > 0) throw new PublishError(destination, messages.length, failures);
  }

  /** Confirmations come in the order of the turns, so one more turn is enough for all in flight. */
  async close(): Promise<void> {
    this.#closed = true;
    await turn();
    this.#access.disconnect(this);
  }

  connectionLost(cause: Error): void {
    this.#losses++;
    this.#lastLoss = cause;
  }

  /** What is wrong with each message, if anything. */
  #store(destination: string, messages: readonly OutgoingMessage[]): (Error | undefined)[] {
    let queue: MemoryQueue;
    try {
      if (this.#closed) {
        throw new LabError("PUBLISH_FAILED", "The publisher is closed. Make a new one.");
      }
      queue = this.#access.open(destination);
    } catch (error) {
      return messages.map(() => toError(error));
    }
    return messages.map((message) => {
      const refused = this.#refused(message);
      if (refused === undefined) queue.append(copy(message, destination));
      return refused;
    });
  }

  #refused(message: OutgoingMessage): LabError | undefined {
    const unsupported = unsupportedMessage(message, this.capabilities, "The memory broker");
    if (unsupported !== undefined) return unsupported;
    const { maxBodyBytes } = this.#access;
    if (message.body.byteLength <= maxBodyBytes) return undefined;
    return new LabError(
      "PUBLISH_FAILED",
      `The body has ${message.body.byteLength} bytes, the memory broker takes ${maxBodyBytes} (maxBodyBytes). Send less, or raise it.`,
    );
  }
}

/** The body is copied, as a socket would: the caller may use its buffer again. `Buffer.from` pools small ones. */
function copy({ body, key, headers }: OutgoingMessage, destination: string): Message {
  return {
    body: Buffer.from(body),
    key,
    destination,
    headers: headers === undefined ? noHeaders : { ...headers },
  };
}
