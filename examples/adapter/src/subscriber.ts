import type { Message, Outcome, Subscriber, SubscriberCapabilities } from "@lab/core";
import {
  AdapterDelivery,
  keepSubscribed,
  type OpenSession,
  requireWindow,
  unsupportedOutcome,
} from "@lab/core/adapter";
import type { PocketArrival, PocketConnection } from "../pocket-queue.ts";
import { labError } from "./errors.ts";

export interface PocketOptions {
  /** Opens a connection of its own each time it is called: at the start, and again after each loss. */
  readonly connect: () => Promise<PocketConnection>;
}

const capabilities: SubscriberCapabilities = {
  settles: "individually",
  nack: true,
  reject: false,
  deliveryCount: true,
  partitions: "none",
  resumes: false,
};

/** A subscriber of Pocket Queue's queues. Its source is the name of a queue. */
export function pocketSubscriber({ connect }: PocketOptions): Subscriber {
  return {
    capabilities,
    async subscribe(source, { window, signal }, sink) {
      requireWindow(window);
      return keepSubscribed({ sink, signal, open: opener(connect, source, window) });
    },
  };
}

/** A session is one connection: what it delivers can be settled on it alone. */
function opener(connect: PocketOptions["connect"], source: string, window: number): OpenSession {
  return async (session, deliver) => {
    const connection = await connect().catch((error) => {
      throw labError(error);
    });
    connection.once("close", (loss) =>
      session.end(labError(loss ?? new Error("the broker closed the connection"))),
    );
    const settle = ({ tag }: AdapterDelivery<number>, outcome: Outcome): void => {
      if (outcome === "ack") connection.ack(tag);
      else if (outcome === "nack") connection.release(tag);
      else throw unsupportedOutcome(outcome, "Pocket Queue", "Use a dead letter instead.");
    };
    const receive = (arrival: PocketArrival): void => {
      const { id, deliveries } = arrival;
      const message = messageOf(arrival, source);
      deliver(new AdapterDelivery(session, message, deliveries > 1, deliveries, id, settle));
    };
    try {
      await connection.consume(source, window, receive);
    } catch (error) {
      await connection.close();
      throw labError(error);
    }
    return { stop: async () => connection.cancel(), close: () => connection.close() };
  };
}

function messageOf({ body, key, headers = {} }: PocketArrival, destination: string): Message {
  return { body, key, headers, destination };
}
