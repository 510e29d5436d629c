export { sessionAddress, solace } from "../solclient.ts";
export {
  type AmqpAdapter,
  type AmqpRigOptions,
  type AmqpRigOutlook,
  amqpCapabilities,
  amqpRig,
} from "./amqp.ts";
export {
  type KafkaAdapter,
  type KafkaRigOptions,
  type KafkaRigOutlook,
  kafkaCapabilities,
  kafkaConfig,
  kafkaRig,
} from "./kafka.ts";
export {
  type MqttAdapter,
  type MqttRigOptions,
  type MqttRigOutlook,
  mqttCapabilities,
  mqttRig,
} from "./mqtt.ts";
export {
  type SolaceAdapter,
  type SolaceRigBroker,
  type SolaceRigOptions,
  type SolaceRigOutlook,
  solaceCapabilities,
  solaceRig,
} from "./solace.ts";
export {
  type AdministeredQueue,
  clientQueues,
  type QueueWishes,
  type SolaceQueues,
  testBrokerQueues,
} from "./solace-queues.ts";
