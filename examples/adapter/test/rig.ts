import type { ContractCapabilities, Rig } from "@lab/contract";
import { largestBody, PocketBroker } from "../pocket-queue.ts";
import { pocketPublisher, pocketSubscriber } from "../src/index.ts";

/** What the adapter and the rig claim; the suite checks each claim. */
export const capabilities: ContractCapabilities = {
  settles: "individually",
  nack: true,
  reject: false,
  deliveryCount: true,
  partitions: "none",
  resumes: false,
  headers: true,
  keys: true,
  competing: true,
  handover: true,
  redelivered: true,
  deleteSource: "A queue of Pocket Queue is there for good.",
  cut: true,
  restart: true,
  missingSource: true,
  wrongCredentials: "Pocket Queue knows no users.",
  unreachable: true,
  refusedDestination: true,
  refusedMessage: true,
  keepAliveMs: "Pocket Queue never takes a silent client for dead.",
};

/** A broker of its own and the adapter: the suite cuts and restarts it. */
export function pocketRig(): Rig {
  const broker = new PocketBroker();
  const connect = () => broker.connect();
  const stopped = new PocketBroker();
  stopped.stop();

  return {
    broker: "Pocket Queue",
    brokerVersion: "in process",
    real: false,

    async createSource(name) {
      broker.createQueue(name);
      return {
        source: name,
        destination: name,
        subscriber: () => pocketSubscriber({ connect }),
        purge: async () => broker.purge(name),
      };
    },

    publisher: async () => pocketPublisher({ connect }),

    faults: {
      cut: async () => broker.cut(),
      restart: async () => {
        broker.stop();
        broker.start();
      },
    },

    refusals: {
      missingSource: () => ({ subscriber: pocketSubscriber({ connect }), source: "missing" }),
      unreachable: () => ({
        subscriber: pocketSubscriber({ connect: () => stopped.connect() }),
        source: "any",
      }),
      refusedDestination: () => "missing",
      refusedMessage: () => ({ body: new Uint8Array(largestBody + 1) }),
    },

    close: async () => broker.stop(),
  };
}
