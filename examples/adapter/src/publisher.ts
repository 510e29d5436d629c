import { setTimeout as sleep } from "node:timers/promises";
import {
  LabError,
  type OutgoingMessage,
  type Publisher,
  type PublisherCapabilities,
} from "@lab/core";
import { Batch, unsupportedMessage } from "@lab/core/adapter";
import type { PocketConnection } from "../pocket-queue.ts";
import { labError } from "./errors.ts";
import type { PocketOptions } from "./subscriber.ts";

/** How long `close` waits for what is in flight, in ms. */
const closeTimeout = 4_000;

/** A publisher to Pocket Queue's queues. It connects at the first `publish`, with a connection of its own. */
export function pocketPublisher({ connect }: PocketOptions): Publisher {
  return new PocketPublisher(connect);
}

class PocketPublisher implements Publisher {
  readonly capabilities: PublisherCapabilities = { headers: true, keys: true };
  readonly #connect: PocketOptions["connect"];
  readonly #inFlight = new Set<Promise<void>>();
  #connection: Promise<PocketConnection> | undefined;
  #closing: Promise<void> | undefined;

  constructor(connect: PocketOptions["connect"]) {
    this.#connect = connect;
  }

  async publish(destination: string, messages: readonly OutgoingMessage[]): Promise<void> {
    const publishing = this.#publish(new Batch(destination, messages));
    this.#inFlight.add(publishing);
    await publishing.finally(() => this.#inFlight.delete(publishing));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const late = sleep(closeTimeout, undefined, { ref: false });
    await Promise.race([Promise.allSettled(this.#inFlight), late]);
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.close();
  }

  async #publish(batch: Batch): Promise<void> {
    try {
      if (this.#closing !== undefined) {
        throw new LabError("PUBLISH_FAILED", "The publisher is closed. Make a new one.");
      }
      this.#connection ??= this.#open();
      const connection = await this.#connection;
      for (let index = batch.take(); index !== undefined; index = batch.take()) {
        this.#send(connection, batch, index);
      }
    } catch (error) {
      batch.failRest(labError(error));
    }
    await batch.decided;
  }

  #send(connection: PocketConnection, batch: Batch, index: number): void {
    const message = batch.messages[index] as OutgoingMessage;
    const refused = unsupportedMessage(message, this.capabilities, "Pocket Queue");
    if (refused !== undefined) {
      batch.decide(index, refused);
      return;
    }
    connection.publish(batch.destination, message).then(
      () => batch.decide(index, undefined),
      (error) => batch.decide(index, labError(error)),
    );
  }

  /** The next publish opens another connection when this one fails or is lost. */
  async #open(): Promise<PocketConnection> {
    const forget = (): void => {
      this.#connection = undefined;
    };
    try {
      const connection = await this.#connect();
      connection.once("close", forget);
      return connection;
    } catch (error) {
      forget();
      throw error;
    }
  }
}
