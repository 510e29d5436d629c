export type {
  MqttConnect,
  MqttDefaults,
  MqttPublisherOptions,
  MqttSubscriberOptions,
} from "./options.ts";
export { mqttPublisher } from "./publisher.ts";
export { mqttSubscriber } from "./subscriber.ts";
