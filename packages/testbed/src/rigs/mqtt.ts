import type {
  ContractCapabilities,
  Rig,
  SubscriberTuning,
  Support,
  TestSource,
} from "@lab/contract";
import type { Publisher, Subscriber } from "@lab/core";
import mqtt, { type IClientOptions, type MqttClient } from "mqtt";
import type { RunningBroker } from "../broker.ts";
import { freePort } from "../free-port.ts";
import { createSession, deleteSession, drainSession, type RawSession } from "./mqtt-session.ts";

interface ConnectOptions {
  readonly connect: (defaults: IClientOptions) => MqttClient;
  readonly protocolVersion: 4 | 5;
}

/** What the rig needs of `@lab/mqtt`, which it must not import. */
export interface MqttAdapter {
  mqttSubscriber(
    options: ConnectOptions & { readonly settleOrder: "received" | "settled" },
  ): Subscriber;
  mqttPublisher(options: ConnectOptions): Publisher;
}

export interface MqttRigOptions {
  /** Belongs to the rig from now on: closing the rig stops it. */
  readonly broker: RunningBroker;
  readonly adapter: MqttAdapter;
  /** @default 5 */
  readonly protocolVersion?: 4 | 5;
  /** Sources are `$share/group/filter`. @default false */
  readonly shared?: boolean;
  /** @default "received" */
  readonly settleOrder?: "received" | "settled";
}

/** Short, so that suites do not wait for it. */
const reconnectPeriod = 50;

/** True of its other brokers too, as long as nobody has shown otherwise. */
const sharedForgotten = "mosquitto 2.0 forgets shared subscriptions when it restarts.";

/** Where nothing can be published to: it is a filter. */
const refusedDestination = "refused/#";

/** A rig on an MQTT broker. All sessions are persistent, since a source has to keep what nobody is there to take. */
export async function mqttRig(options: MqttRigOptions): Promise<Rig> {
  const {
    broker,
    adapter,
    protocolVersion = 5,
    shared = false,
    settleOrder = "received",
  } = options;
  const { url } = broker;
  const sessions: RawSession[] = [];
  const vacant = `mqtt://127.0.0.1:${await freePort()}`;

  const subscriberAt = (address: string, client: IClientOptions): Subscriber =>
    adapter.mqttSubscriber({
      protocolVersion,
      settleOrder,
      connect: (defaults) => mqtt.connect(address, { ...defaults, reconnectPeriod, ...client }),
    });
  const refused = (address: string) => ({
    subscriber: subscriberAt(address, { clientId: "refused" }),
    source: "refused",
  });

  return {
    broker: broker.product,
    brokerVersion: broker.version,
    real: broker.real,

    async createSource(name: string): Promise<TestSource> {
      const destination = `rig/${name}`;
      const source = shared ? `$share/${name}/${destination}` : destination;
      const members = new Map<number, RawSession>();
      const sessionOf = (member: number): RawSession => {
        const known = members.get(member);
        if (known !== undefined) return known;
        const session = { url, clientId: `${name}-${member}`, protocolVersion };
        members.set(member, session);
        sessions.push(session);
        return session;
      };
      await createSession(sessionOf(0), source);
      return {
        source,
        destination,
        subscriber: (member = 0, tuning: SubscriberTuning = {}) => {
          const { clientId } = sessionOf(member);
          return subscriberAt(url, { clientId, keepalive: (tuning.keepAliveMs ?? 60_000) / 1_000 });
        },
        purge: async () => {
          let count = 0;
          for (const session of members.values()) count += await drainSession(session);
          return count;
        },
      };
    },

    publisher: async () =>
      adapter.mqttPublisher({
        protocolVersion,
        connect: (defaults) => mqtt.connect(url, { ...defaults, reconnectPeriod }),
      }),

    faults: {
      cut: () => broker.cut(),
      ...(broker.restart !== undefined && !shared && { restart: broker.restart }),
    },

    refusals: {
      ...(hasPassword(url) && { wrongCredentials: () => refused(withWrongPassword(url)) }),
      unreachable: () => refused(vacant),
      refusedDestination: () => refusedDestination,
      refusedMessage: () => ({ body: new Uint8Array(), headers: { large: "x".repeat(65_536) } }),
    },

    async close(): Promise<void> {
      // A broker of ours takes its sessions with it.
      if (broker.how === "running") for (const session of sessions) await deleteSession(session);
      await broker.stop();
    },
  };
}

/** Said of a rig before its broker is there. */
export interface MqttRigOutlook
  extends Pick<MqttRigOptions, "protocolVersion" | "shared" | "settleOrder"> {
  /** The broker asks for a user name and a password. */
  readonly credentials: boolean;
  /** The broker can be restarted with its data; or why not. */
  readonly restart: Support;
}

/** What can be claimed for such a rig. */
export function mqttCapabilities(outlook: MqttRigOutlook): ContractCapabilities {
  const { protocolVersion = 5, shared = false, settleOrder = "received" } = outlook;
  const carries = protocolVersion === 5;
  return {
    settles: settleOrder === "received" ? "in-order" : "individually",
    nack: false,
    reject: false,
    deliveryCount: false,
    partitions: "none",
    resumes: true,
    headers: carries,
    keys: carries,
    competing: shared || "A topic filter is no queue: every subscriber gets every message.",
    handover: "What the broker has given to a member it keeps for the session of that member.",
    redelivered: true,
    deleteSource:
      "A topic cannot be deleted, and what a session subscribes to only the session ends.",
    cut: true,
    restart: shared && outlook.restart === true ? sharedForgotten : outlook.restart,
    missingSource: "A topic exists as soon as somebody names it.",
    wrongCredentials: outlook.credentials || "The broker was started without a password.",
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
