import type {
  ContractCapabilities,
  Rig,
  SubscriberTuning,
  Support,
  TestSource,
} from "@lab/contract";
import type { Publisher, Subscriber } from "@lab/core";
import { type ChannelModel, connect } from "amqplib";
import type { RunningBroker } from "../broker.ts";
import { freePort } from "../free-port.ts";
import { createQueue, deleteQueue, drainQueue, type QueueType } from "./amqp-queue.ts";

interface ConnectOptions {
  readonly connect: (defaults: object) => Promise<ChannelModel>;
  readonly backoff: { readonly base: number; readonly cap: number };
}

/** What the rig needs of `@lab/amqp`, which it must not import. */
export interface AmqpAdapter {
  amqpSubscriber(
    options: ConnectOptions & {
      readonly queueType: QueueType;
      readonly ack: "single" | "multiple";
    },
  ): Subscriber;
  amqpPublisher(options: ConnectOptions): Publisher;
}

export interface AmqpRigOptions {
  /** Belongs to the rig from now on: closing the rig stops it. */
  readonly broker: RunningBroker;
  readonly adapter: AmqpAdapter;
  /** @default "classic" */
  readonly queueType?: QueueType;
  /** @default "single" */
  readonly ack?: "single" | "multiple";
}

/** Short, so that suites do not wait for it. */
const backoff = { base: 50, cap: 500 };

const missing = "missing-queue";

/** A rig on a RabbitMQ. */
export async function amqpRig(options: AmqpRigOptions): Promise<Rig> {
  const { broker, adapter, queueType = "classic", ack = "single" } = options;
  const { url } = broker;
  const queues: string[] = [];
  const vacant = `amqp://127.0.0.1:${await freePort()}`;

  const subscriberAt = (address: string): Subscriber =>
    adapter.amqpSubscriber({
      queueType,
      ack,
      backoff,
      connect: (defaults) => connect(address, { ...defaults }),
    });
  const refused = (address: string) => ({ subscriber: subscriberAt(address), source: missing });

  return {
    broker: broker.product,
    brokerVersion: broker.version,
    real: broker.real,

    async createSource(name: string): Promise<TestSource> {
      await createQueue(broker.directUrl, name, queueType);
      queues.push(name);
      return {
        source: name,
        destination: name,
        subscriber: (_member, tuning: SubscriberTuning = {}) =>
          subscriberAt(withHeartbeat(url, tuning.keepAliveMs)),
        purge: () => drainQueue(broker.directUrl, name),
        delete: () => deleteQueue(broker.directUrl, name),
      };
    },

    publisher: async () =>
      adapter.amqpPublisher({ backoff, connect: (defaults) => connect(url, { ...defaults }) }),

    faults: {
      cut: () => broker.cut(),
      ...(broker.restart && { restart: broker.restart }),
    },

    refusals: {
      missingSource: () => refused(url),
      wrongCredentials: () => refused(withWrongPassword(url)),
      unreachable: () => refused(vacant),
      refusedDestination: () => missing,
      refusedMessage: () => ({ body: new Uint8Array(), headers: { large: "x".repeat(65_536) } }),
    },

    async close(): Promise<void> {
      // A broker of ours takes its queues with it.
      if (broker.how === "running")
        for (const queue of queues) await deleteQueue(broker.directUrl, queue);
      await broker.stop();
    },
  };
}

/** Said of a rig before its broker is there. */
export interface AmqpRigOutlook extends Pick<AmqpRigOptions, "queueType"> {
  /** The broker can be restarted with its data; or why not. */
  readonly restart: Support;
}

/** What can be claimed for such a rig. */
export function amqpCapabilities({
  queueType = "classic",
  restart,
}: AmqpRigOutlook): ContractCapabilities {
  return {
    settles: "individually",
    nack: true,
    reject: true,
    deliveryCount: queueType === "quorum",
    partitions: "none",
    resumes: false,
    headers: true,
    keys: true,
    competing: true,
    handover: true,
    redelivered: true,
    deleteSource: true,
    cut: true,
    restart,
    missingSource: true,
    wrongCredentials: true,
    unreachable: true,
    refusedDestination: true,
    refusedMessage: true,
    keepAliveMs: 1_000,
  };
}

/** amqplib takes the heartbeat, in seconds, from the URL. */
function withHeartbeat(url: string, ms: number | undefined): string {
  if (ms === undefined) return url;
  const tuned = new URL(url);
  tuned.searchParams.set("heartbeat", `${Math.ceil(ms / 1_000)}`);
  return tuned.href;
}

function withWrongPassword(url: string): string {
  const wrong = new URL(url);
  wrong.username ||= "guest";
  wrong.password = "wrong";
  return wrong.href;
}
