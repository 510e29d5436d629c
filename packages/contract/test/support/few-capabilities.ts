import {
  type OutgoingMessage,
  PublishError,
  type Publisher,
  type PublishFailure,
  type Subscriber,
} from "@lab/core";
import { toError, unsupportedMessage, unsupportedOutcome } from "@lab/core/adapter";
import type { ContractCapabilities } from "../../src/index.ts";
import { type Alteration, between, delivery, sink } from "./altered.ts";
import { inOrder } from "./in-order.ts";
import { resuming } from "./resuming.ts";

const capabilities: Partial<ContractCapabilities> = {
  settles: "in-order",
  nack: false,
  reject: false,
  deliveryCount: false,
  resumes: true,
  headers: false,
  keys: false,
  competing: "Every member gets every message.",
  handover: "Every member gets every message.",
  cut: true,
  restart: true,
  keepAliveMs: 30,
  largestBody: 100_000,
};

/** Everything that the memory adapter can do and MQTT 3.1.1 cannot is taken from it. */
export const fewCapabilities: Alteration = {
  capabilities,
  subscriber: () => (inner) => acknowledging(resuming(inOrder(inner))),
  publisher: bodiesOnly,
};

/** Neither nack nor reject, and no delivery count. */
function acknowledging(inner: Subscriber): Subscriber {
  return between(inner, (to) =>
    sink(to, {
      deliver: (arrived) =>
        to.deliver(
          delivery(arrived, {
            deliveryCount: undefined,
            settle: (outcome) => {
              if (outcome !== "ack") throw unsupportedOutcome(outcome, "This broker", "Use ack.");
              return arrived.settle(outcome);
            },
          }),
        ),
    }),
  );
}

function bodiesOnly(inner: Publisher): Publisher {
  const can = { headers: false, keys: false };
  return {
    capabilities: can,
    publish: async (destination, messages) => {
      const failures: PublishFailure[] = [];
      const publish = async (message: OutgoingMessage, index: number): Promise<void> => {
        try {
          const refused = unsupportedMessage(message, can, "This broker");
          if (refused !== undefined) throw refused;
          await inner.publish(destination, [message]);
        } catch (thrown) {
          const error = thrown instanceof PublishError ? thrown.failures[0]?.error : thrown;
          failures.push({ index, error: toError(error) });
        }
      };
      await Promise.all(messages.map(publish));
      if (failures.length > 0) throw new PublishError(destination, messages.length, failures);
    },
    close: () => inner.close(),
  };
}
