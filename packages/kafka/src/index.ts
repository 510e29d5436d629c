export { isKafkaMessage, type KafkaMessage, tombstone } from "./message.ts";
export type { KafkaPublisherOptions, KafkaSubscriberOptions } from "./options.ts";
export { kafkaPublisher } from "./publisher.ts";
export { kafkaSubscriber } from "./subscriber.ts";
