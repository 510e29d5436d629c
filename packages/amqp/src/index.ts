export type { AmqpMessage } from "./message.ts";
export type {
  AmqpBackoff,
  AmqpConnect,
  AmqpDefaults,
  AmqpPublisherOptions,
  AmqpSubscriberOptions,
} from "./options.ts";
export { amqpPublisher } from "./publisher.ts";
export { amqpSubscriber } from "./subscriber.ts";
