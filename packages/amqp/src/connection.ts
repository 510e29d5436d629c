import { Socket } from "node:net";
import { invalidOption, within } from "@lab/core/adapter";
import type { Channel, ChannelModel } from "amqplib";
import type { AmqpConnect } from "./options.ts";

/** How long the broker may take to answer each goodbye, in ms. */
const closeTimeout = 2_000;

const inUse = new WeakSet<ChannelModel>();

/** One connection, from the first attempt to its certain end. */
export class Connection {
  readonly #destroyed = new AbortController();
  #model: ChannelModel | undefined;

  /** Rejects when it fails, when it takes longer than `timeout` ms, and when it is destroyed meanwhile. */
  open(connect: AmqpConnect, timeout: number): Promise<ChannelModel> {
    const { signal } = this.#destroyed;
    return new Promise((resolve, reject) => {
      const late = (): void => this.destroy(new Error(`no answer within ${timeout} ms`));
      const timer = setTimeout(late, timeout);
      const settle = (): void => clearTimeout(timer);
      signal.addEventListener("abort", () => {
        settle();
        reject(signal.reason);
      });
      makeConnection(connect, { noDelay: true, timeout, signal })
        .then((model) => this.#adopt(model))
        .then(resolve, reject)
        .finally(settle);
    });
  }

  /** Says goodbye where it can and leaves nothing open. Never rejects; takes a few seconds at most. */
  async close(): Promise<void> {
    if (this.#destroyed.signal.aborted) return;
    if (this.#model !== undefined) await within(closeTimeout, this.#model.close());
    this.destroy(new Error("it was closed"));
  }

  /** At once, and in every state: amqplib alone leaves a socket open whose other end has vanished. */
  destroy(cause: Error): void {
    this.#destroyed.abort(cause);
    if (this.#model !== undefined) socketOf(this.#model)?.destroy();
  }

  #adopt(model: ChannelModel): ChannelModel {
    this.#model = model;
    inUse.add(model);
    model.on("error", () => {}); // One that nobody listens to would end the process.
    if (this.#destroyed.signal.aborted) {
      this.destroy(this.#destroyed.signal.reason);
      throw this.#destroyed.signal.reason;
    }
    socketOf(model)?.setNoDelay(true); // Should `defaults` not have been passed on.
    return model;
  }
}

async function makeConnection(
  connect: AmqpConnect,
  defaults: Parameters<AmqpConnect>[0],
): Promise<ChannelModel> {
  const model = await connect(defaults);
  const wrong = (got: unknown, todo = ""): Error =>
    invalidOption("connect", got, "a function that makes a new connection", todo);
  if (typeof model?.createChannel !== "function") {
    throw wrong(model, "It has to return what amqplib.connect returns.");
  }
  if ("waitForConnect" in model) {
    await model.close();
    throw wrong(
      "one that recovers by itself",
      "Leave out `recovery`: it does not restore consumers.",
    );
  }
  if (inUse.has(model)) {
    throw wrong("one that is in use", "Call amqplib.connect in it, each time.");
  }
  return model;
}

/** amqplib keeps it where its types do not tell. */
function socketOf(model: ChannelModel): Socket | undefined {
  const { stream } = model.connection as { stream?: unknown };
  return stream instanceof Socket ? stream : undefined;
}

/**
 * To be done before the connection is closed: amqplib would drop what it has not written yet, acknowledgements among it.
 * Never rejects; takes a few seconds at most.
 */
export async function closeChannel(channel: Channel): Promise<void> {
  const closing = async (): Promise<void> => channel.close(); // A closed one throws.
  await within(closeTimeout, closing());
}
