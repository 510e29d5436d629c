export type { SolaceMessage } from "./message.ts";
export type {
  SolaceBackoff,
  SolaceConnect,
  SolaceDefaults,
  SolaceProvision,
  SolacePublisherOptions,
  SolaceSubscriberOptions,
} from "./options.ts";
export { solacePublisher } from "./publisher.ts";
export type { SolaceModule } from "./solclient.ts";
export { solaceSubscriber } from "./subscriber.ts";
export { byTopicLevels } from "./topic-levels.ts";
