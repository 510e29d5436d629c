import { invalidOption } from "@lab/core/adapter";
import type solace from "solclientjs";
import type { SubscriberSettings } from "./options.ts";
import { bindRefusal } from "./refusal.ts";
import { topicDestination } from "./topic.ts";

/** More read ahead brings nothing: what is beyond the window waits. */
const usefulReadAhead = 64;

/** The client takes no shorter limit. */
const shortestTimeout = 50;

/** How many messages the client reads ahead. */
export function readAheadOf(window: number, { readAhead }: SubscriberSettings): number {
  return readAhead ?? Math.min(window, usefulReadAhead);
}

/** How the consumer is set up. @throws {LabError} `INVALID_OPTION` where the broker cannot do what is asked */
export function consumerProperties(
  session: solace.Session,
  source: string,
  window: number,
  settings: SubscriberSettings,
): Partial<solace.MessageConsumerProperties> {
  const { solace, topic, provision, nacks, ackInterval, connectTimeout } = settings;
  const { MessageOutcome, QueueType, CapabilityType } = solace;
  if (nacks && !session.isCapable(CapabilityType.AD_APP_ACK_FAILED)) {
    throw invalidOption("nacks", true, "false", "This broker has no negative acknowledgements.");
  }
  const type = topic === undefined ? QueueType.QUEUE : QueueType.TOPIC_ENDPOINT;
  return {
    queueDescriptor: new solace.QueueDescriptor({ name: source, type, durable: true }),
    acknowledgeMode: solace.MessageConsumerAcknowledgeMode.CLIENT,
    windowSize: readAheadOf(window, settings),
    transportAcknowledgeTimeoutInMsecs: ackInterval,
    connectTimeoutInMsecs: Math.max(connectTimeout, shortestTimeout),
    connectAttempts: 1,
    // What it would restore by itself is done from here, as is what it would not: a queue that was shut down, for one.
    reconnectAttempts: 0,
    activeIndicationEnabled: session.isCapable(CapabilityType.ACTIVE_CONSUMER_INDICATION),
    ...(nacks && { requiredSettlementOutcomes: [MessageOutcome.FAILED, MessageOutcome.REJECTED] }),
    ...(topic !== undefined && {
      topicEndpointSubscription: topicDestination(solace, "topic", topic),
    }),
    ...(provision !== undefined && { createIfMissing: true }),
    ...(provision?.properties !== undefined && { queueProperties: provision.properties }),
  };
}

/**
 * Has the queue subscribe to topics, beside those it has.
 * @throws {LabError} `ACCESS_REFUSED`, `INVALID_OPTION` or `BROKER_UNREACHABLE`
 */
export async function addTopics(
  consumer: solace.MessageConsumer,
  topics: readonly string[],
  source: string,
  { solace, connectTimeout }: SubscriberSettings,
): Promise<void> {
  const event = solace.MessageConsumerEventName;
  for (const topic of topics) {
    const destination = topicDestination(solace, "provision.topics", topic);
    await new Promise<void>((resolve, reject) => {
      consumer.once(event.SUBSCRIPTION_OK, () => resolve());
      consumer.once(event.SUBSCRIPTION_ERROR, (error) => {
        if (error.subcode === solace.ErrorSubcode.SUBSCRIPTION_ALREADY_PRESENT) resolve();
        else reject(bindRefusal(solace, source, error));
      });
      consumer.addSubscription(destination, undefined, connectTimeout);
    });
    consumer.removeAllListeners(event.SUBSCRIPTION_OK);
    consumer.removeAllListeners(event.SUBSCRIPTION_ERROR);
  }
}
