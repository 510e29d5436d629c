import type {
  ContractCapabilities,
  Rig,
  SubscriberTuning,
  Support,
  TestSource,
} from "@lab/contract";
import type { Publisher, Subscriber } from "@lab/core";
import type { RunningBroker } from "../broker.ts";
import { freePort } from "../free-port.ts";
import { sessionAddress, solace } from "../solclient.ts";
import { clientQueues, type SolaceQueues } from "./solace-queues.ts";

interface ConnectOptions {
  readonly solace: typeof solace;
  readonly connect: (defaults: object) => solace.Session;
  readonly backoff: { readonly base: number; readonly cap: number };
}

/** What the rig needs of `@lab/solace`, which it must not import. */
export interface SolaceAdapter {
  solaceSubscriber(
    options: ConnectOptions & { readonly deliveryCount: boolean; readonly partitioned: boolean },
  ): Subscriber;
  solacePublisher(options: ConnectOptions & { readonly destination: "queue" }): Publisher;
}

/** What the rig needs of a broker. */
export type SolaceRigBroker = Pick<
  RunningBroker,
  "product" | "version" | "real" | "how" | "url" | "cut" | "restart" | "stop"
>;

export interface SolaceRigOptions {
  /** Belongs to the rig from now on: closing the rig stops it. */
  readonly broker: SolaceRigBroker;
  readonly adapter: SolaceAdapter;
  /** @default made and emptied with the client alone */
  readonly queues?: SolaceQueues;
  /** The queues count deliveries. @default false */
  readonly deliveryCount?: boolean;
  /** The queues are partitioned. @default false */
  readonly partitioned?: boolean;
}

/** Short, so that suites do not wait for it. */
const backoff = { base: 50, cap: 500 };

const missing = "missing-queue";
const maxMessageSize = 1_500_000;
/** Of a message; scenarios that deliver again and again have none that dies of it. */
const maxRedelivery = 0;

/** The client takes the broker for dead after so many keep-alives without an answer: the fewest that it can be told. */
const keepAlives = 3;

/** A rig on a Solace broker, or on what stands in for one. */
export async function solaceRig(options: SolaceRigOptions): Promise<Rig> {
  const { broker, adapter, deliveryCount = false, partitioned = false } = options;
  const { url } = broker;
  const queues = options.queues ?? clientQueues(url);
  const created: string[] = [];
  const vacant = `tcp://127.0.0.1:${await freePort()}`;

  const connectTo =
    (address: string, properties: object = {}) =>
    (defaults: object): solace.Session =>
      solace.SolclientFactory.createSession({
        ...defaults,
        ...sessionAddress(address),
        ...properties,
      } as solace.SessionProperties);

  const subscriberAt = (address: string, properties?: object): Subscriber =>
    adapter.solaceSubscriber({
      solace,
      backoff,
      deliveryCount,
      partitioned,
      connect: connectTo(address, properties),
    });
  const refused = (address: string) => ({ subscriber: subscriberAt(address), source: missing });

  return {
    broker: broker.product,
    brokerVersion: broker.version,
    real: broker.real,

    async createSource(name: string): Promise<TestSource> {
      await queues.create(name, { maxMessageSize, maxRedelivery });
      created.push(name);
      return {
        source: name,
        destination: name,
        subscriber: (_member, { keepAliveMs }: SubscriberTuning = {}) =>
          subscriberAt(
            url,
            keepAliveMs === undefined
              ? {}
              : {
                  keepAliveIntervalInMsecs: keepAliveMs / keepAlives,
                  keepAliveIntervalsLimit: keepAlives,
                },
          ),
        purge: () => queues.purge(name),
        delete: () => queues.delete(name),
      };
    },

    publisher: async () =>
      adapter.solacePublisher({ solace, backoff, destination: "queue", connect: connectTo(url) }),

    faults: {
      cut: () => broker.cut(),
      ...(broker.restart && { restart: broker.restart }),
    },

    refusals: {
      missingSource: () => refused(url),
      ...(hasPassword(url) && { wrongCredentials: () => refused(withWrongPassword(url)) }),
      unreachable: () => refused(vacant),
      refusedDestination: () => missing,
      refusedMessage: () => ({ body: new Uint8Array(maxMessageSize + 1) }),
    },

    async close(): Promise<void> {
      // A broker of ours takes its queues with it.
      if (broker.how === "running") for (const queue of created) await queues.delete(queue);
      await broker.stop();
    },
  };
}

/** Said of a rig before its broker is there. */
export interface SolaceRigOutlook extends Pick<SolaceRigOptions, "deliveryCount" | "partitioned"> {
  /** The broker asks for a user name and a password. */
  readonly credentials: boolean;
  /** The broker can be restarted with its data; or why not. */
  readonly restart: Support;
}

/** What can be claimed for such a rig. */
export function solaceCapabilities(outlook: SolaceRigOutlook): ContractCapabilities {
  const { deliveryCount = false, partitioned = false, credentials, restart } = outlook;
  return {
    settles: "individually",
    nack: true,
    reject: true,
    deliveryCount,
    partitions: partitioned ? "key" : "none",
    resumes: true,
    headers: true,
    keys: true,
    competing: true,
    handover: true,
    redelivered: true,
    deleteSource: true,
    cut: true,
    restart,
    missingSource: true,
    wrongCredentials: credentials || "The broker asks for no password.",
    unreachable: true,
    refusedDestination: true,
    refusedMessage: true,
    keepAliveMs: 1_000,
  };
}

function hasPassword(url: string): boolean {
  return new URL(url).password !== "";
}

function withWrongPassword(url: string): string {
  const wrong = new URL(url);
  wrong.password = "wrong";
  return wrong.href;
}
