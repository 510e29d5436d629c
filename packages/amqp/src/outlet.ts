import { randomBytes } from "node:crypto";
import { LabError, type OutgoingMessage, type PublisherCapabilities } from "@lab/core";
import { type Batch, toError } from "@lab/core/adapter";
import type { ConfirmChannel, Message } from "amqplib";
import { Connection, closeChannel } from "./connection.ts";
import type { AmqpConnect, PublisherSettings } from "./options.ts";
import { bytesOf, headersOf, unencodable, unsupported } from "./outgoing.ts";
import { channelFault, connectFault, publishLoss } from "./refusal.ts";

/** Frames that amqplib holds before it asks to wait. Its own 1,024 would be 128 MB of large bodies. */
const highWaterMark = 128;

export interface OutletEvents {
  /** There is room again. */
  ready(): void;
  /** A message is decided. */
  progress(): void;
  /** No more messages go out here. Those in flight are still to be failed. */
  lost(cause: LabError): void;
}

interface InFlight {
  readonly batch: Batch;
  readonly index: number;
  returned: LabError | undefined;
}

/** One connection with one channel that confirms: sends messages and learns what has become of them. */
export class Outlet {
  readonly #settings: PublisherSettings;
  readonly #capabilities: PublisherCapabilities;
  readonly #events: OutletEvents;
  readonly #connection = new Connection();
  readonly #inFlight = new Map<number, InFlight>();
  /** Message ids are this and the delivery tag: unique, and the way to find what the broker returns. */
  readonly #prefix = `${randomBytes(6).toString("base64url")}-`;
  #channel: ConfirmChannel | undefined;
  #tag = 1;
  #full = false;
  #over = false;
  #cause: Error | undefined;
  /** Why the broker takes no messages, while it does not. */
  blocked: string | undefined;

  constructor(
    settings: PublisherSettings,
    capabilities: PublisherCapabilities,
    events: OutletEvents,
  ) {
    this.#settings = settings;
    this.#capabilities = capabilities;
    this.#events = events;
  }

  /**
   * Rejects with nothing left open.
   * @throws {LabError} `SOURCE_MISSING` (the exchange), `ACCESS_REFUSED`, `BROKER_UNREACHABLE` or `INVALID_OPTION`
   */
  async open(connect: AmqpConnect): Promise<void> {
    const { connectTimeout } = this.#settings;
    const late = (): void => this.destroy(new Error(`no answer within ${connectTimeout} ms`));
    const timer = setTimeout(late, connectTimeout);
    try {
      await this.#setUp(connect);
    } catch (thrown) {
      this.#over = true;
      await this.#connection.close();
      // What ended the connection says more than what failed because of it.
      const cause = this.#cause ?? thrown;
      const { exchange } = this.#settings;
      const what = exchange === "" ? "Cannot publish" : `Cannot publish to "${exchange}"`;
      throw cause instanceof LabError ? cause : channelFault(what, toError(cause));
    } finally {
      clearTimeout(timer);
    }
  }

  get canSend(): boolean {
    return (
      this.#channel !== undefined &&
      !this.#over &&
      !this.#full &&
      this.blocked === undefined &&
      this.#inFlight.size < this.#settings.window
    );
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  send(batch: Batch, index: number): void {
    const message = batch.messages[index] as OutgoingMessage;
    const fault = unsupported(message, this.#capabilities);
    if (fault !== undefined) {
      batch.decide(index, fault);
      return;
    }
    const { exchange, mandatory, persistent } = this.#settings;
    const channel = this.#channel as ConfirmChannel;
    const tag = this.#tag;
    const options = {
      headers: headersOf(message),
      mandatory,
      persistent,
      messageId: this.#prefix + tag.toString(36),
    };
    try {
      this.#full = !channel.publish(exchange, batch.destination, bytesOf(message), options);
    } catch (thrown) {
      const error = unencodable(thrown);
      if (error === undefined) this.#lose(toError(thrown));
      batch.decide(index, error ?? publishLoss(toError(thrown)));
      return;
    }
    this.#tag++;
    this.#inFlight.set(tag, { batch, index, returned: undefined });
  }

  /** Takes back what is in flight: nobody will know what has become of it. */
  takeInFlight(): readonly InFlight[] {
    const taken = [...this.#inFlight.values()];
    this.#inFlight.clear();
    return taken;
  }

  /** Never rejects; takes a few seconds at most. */
  async close(): Promise<void> {
    const channel = this.#over ? undefined : this.#channel;
    this.#over = true;
    // amqplib drops what it has not written yet when a connection is closed with its channels open.
    if (channel !== undefined) await closeChannel(channel);
    await this.#connection.close();
  }

  destroy(cause: Error): void {
    this.#over = true;
    this.#cause ??= cause;
    this.#connection.destroy(cause);
  }

  async #setUp(connect: AmqpConnect): Promise<void> {
    const model = await this.#connection
      .open(connect, this.#settings.connectTimeout)
      .catch((thrown) => {
        throw connectFault(thrown);
      });
    model.on("error", this.#lose);
    model.on("close", (error) => this.#lose(error ?? new Error("the connection was closed")));
    model.on("blocked", (reason) => {
      this.blocked = reason;
    });
    model.on("unblocked", () => {
      this.blocked = undefined;
      this.#events.ready();
    });
    const channel = await model.createConfirmChannel({ highWaterMark });
    channel.on("error", this.#lose);
    // amqplib closes the channels, without a cause, just before it tells why the connection was closed.
    const closed = (): void => this.#lose(new Error("the channel was closed"));
    channel.on("close", () => queueMicrotask(closed));
    channel.on("ack", ({ deliveryTag, multiple }) => this.#onAck(deliveryTag, multiple, undefined));
    channel.on("nack", ({ deliveryTag, multiple }) => this.#onAck(deliveryTag, multiple, nacked()));
    channel.on("return", this.#onReturn);
    channel.on("drain", () => {
      this.#full = false;
      this.#events.ready();
    });
    if (this.#settings.exchange !== "") await channel.checkExchange(this.#settings.exchange);
    if (this.#over) throw new Error("it was closed");
    this.#channel = channel;
  }

  #onAck(tag: number, multiple: boolean, error: LabError | undefined): void {
    if (multiple) {
      for (const earlier of this.#inFlight.keys()) {
        if (earlier > tag) break; // In the order sent.
        this.#decide(earlier, error);
      }
    } else {
      this.#decide(tag, error);
    }
    this.#events.progress();
  }

  #decide(tag: number, error: LabError | undefined): void {
    const sent = this.#inFlight.get(tag);
    if (sent === undefined) return;
    this.#inFlight.delete(tag);
    sent.batch.decide(sent.index, error ?? sent.returned);
  }

  /** Comes before the confirmation, which says that the message is done with, not that anybody has it. */
  readonly #onReturn = ({ fields, properties }: Message): void => {
    const id = String(properties.messageId);
    const sent = this.#inFlight.get(Number.parseInt(id.slice(this.#prefix.length), 36));
    if (sent === undefined) return;
    const where = fields.exchange === "" ? "" : ` of the exchange "${fields.exchange}"`;
    sent.returned = new LabError(
      "SOURCE_MISSING",
      `No queue takes messages for "${fields.routingKey}"${where}: the broker returned it. ` +
        "Create the queue or its binding, or set `mandatory: false` to have such messages dropped.",
    );
  };

  readonly #lose = (cause: Error): void => {
    if (this.#over) return;
    this.#over = true;
    this.#cause = cause;
    if (this.#channel !== undefined) this.#events.lost(publishLoss(cause));
  };
}

function nacked(): LabError {
  return new LabError(
    "PUBLISH_FAILED",
    "The broker refuses the message (basic.nack): the queue is full and rejects, or it has an internal error.",
  );
}
