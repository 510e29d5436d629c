import { setTimeout as sleep } from "node:timers/promises";
import type { SolaceTestBroker } from "@lab/solace-testbroker";
import solace from "solclientjs";
import { onTestFinished } from "vitest";

solace.SolclientFactory.init(
  new solace.SolclientFactoryProperties({
    profile: solace.SolclientFactoryProfiles.version10_5,
    logLevel: solace.LogLevel.FATAL,
  }),
);

export { solace };

/** Generous: it passes in full only when something is wrong. */
const limit = 10_000;

export async function eventually(what: string, holds: () => boolean): Promise<void> {
  const deadline = performance.now() + limit;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${limit} ms`);
    await sleep(5);
  }
}

/** How long to look for what must not come. Too short can only miss a fault, never see one that is not there. */
export const quiet = (): Promise<void> => sleep(100);

/** The unmodified client, and what it says. */
export interface Client {
  readonly session: solace.Session;
  /** Names of session events, in order. */
  readonly events: string[];
  publish(destination: string, body: string, options?: PublishOptions): void;
  /** By correlation key. */
  readonly confirmed: string[];
  readonly rejected: { readonly key: string; readonly text: string }[];
}

export interface PublishOptions {
  readonly key?: string;
  readonly deadMessageQueueEligible?: boolean;
}

function sessionAt(url: string, properties: object): Client {
  const session = solace.SolclientFactory.createSession({
    url,
    vpnName: "default",
    userName: "user",
    password: "password",
    connectRetries: 0,
    reconnectRetries: -1,
    reconnectRetryWaitInMsecs: 50,
    publisherProperties: { enabled: true, windowSize: 255 },
    ...properties,
  } as solace.SessionProperties);
  const events: string[] = [];
  const confirmed: string[] = [];
  const rejected: { key: string; text: string }[] = [];
  for (const [name, code] of Object.entries(solace.SessionEventCode)) {
    session.on(code, (event: { correlationKey?: string; infoStr?: string } | undefined) => {
      events.push(name);
      if (name === "ACKNOWLEDGED_MESSAGE") confirmed.push(event?.correlationKey ?? "");
      if (name === "REJECTED_MESSAGE_ERROR") {
        rejected.push({ key: event?.correlationKey ?? "", text: event?.infoStr ?? "" });
      }
    });
  }
  onTestFinished(() => session.dispose());
  const publish = (destination: string, body: string, options: PublishOptions = {}): void => {
    const { SolclientFactory, MessageDeliveryModeType } = solace;
    const message = SolclientFactory.createMessage();
    const [kind, name = ""] = destination.split(":");
    message.setDestination(
      kind === "topic"
        ? SolclientFactory.createTopicDestination(name)
        : SolclientFactory.createDurableQueueDestination(destination),
    );
    message.setDeliveryMode(MessageDeliveryModeType.PERSISTENT);
    message.setBinaryAttachment(Buffer.from(body));
    message.setDMQEligible(options.deadMessageQueueEligible ?? true);
    message.setCorrelationKey(body);
    if (options.key !== undefined) {
      const map = new solace.SDTMapContainer();
      map.addField("JMSXGroupID", solace.SDTFieldType.STRING, options.key);
      message.setUserPropertyMap(map);
    }
    session.send(message);
  };
  return { session, events, publish, confirmed, rejected };
}

/** Rejects with what the broker says. */
export async function connect(broker: SolaceTestBroker, properties: object = {}): Promise<Client> {
  const client = sessionAt(broker.url, properties);
  await new Promise<void>((resolve, reject) => {
    client.session.on(solace.SessionEventCode.UP_NOTICE, () => resolve());
    client.session.on(solace.SessionEventCode.CONNECT_FAILED_ERROR, (error) =>
      reject(new Error(error.message)),
    );
    client.session.connect();
  });
  return client;
}

export interface Consumer {
  readonly consumer: solace.MessageConsumer;
  readonly messages: solace.Message[];
  /** Bodies, in order. */
  readonly bodies: string[];
  /** Names of consumer events, in order. */
  readonly events: string[];
}

/** Binds a consumer that acknowledges nothing by itself. Rejects with what the broker says. */
export async function bind(
  { session }: Client,
  queue: string,
  properties: object = {},
): Promise<Consumer> {
  const consumer = session.createMessageConsumer({
    queueDescriptor: { name: queue, type: solace.QueueType.QUEUE, durable: true },
    acknowledgeMode: solace.MessageConsumerAcknowledgeMode.CLIENT,
    requiredSettlementOutcomes: [solace.MessageOutcome.FAILED, solace.MessageOutcome.REJECTED],
    transportAcknowledgeTimeoutInMsecs: 20,
    activeIndicationEnabled: true,
    connectAttempts: 1,
    reconnectAttempts: 0,
    ...properties,
  });
  const events: string[] = [];
  const messages: solace.Message[] = [];
  const bodies: string[] = [];
  for (const [name, event] of Object.entries(solace.MessageConsumerEventName)) {
    if (event === solace.MessageConsumerEventName.MESSAGE) continue;
    consumer.on(event, (() => events.push(name)) as () => void);
  }
  consumer.on(solace.MessageConsumerEventName.MESSAGE, (message) => {
    messages.push(message);
    bodies.push(Buffer.from((message.getBinaryAttachment() ?? "") as Uint8Array).toString());
  });
  await new Promise<void>((resolve, reject) => {
    consumer.on(solace.MessageConsumerEventName.UP, () => resolve());
    consumer.on(solace.MessageConsumerEventName.CONNECT_FAILED_ERROR, (error) =>
      reject(new Error(error.message)),
    );
    consumer.connect();
  });
  return { consumer, messages, bodies, events };
}
