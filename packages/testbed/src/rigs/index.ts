export {
  type AmqpAdapter,
  type AmqpRigOptions,
  type AmqpRigOutlook,
  amqpCapabilities,
  amqpRig,
} from "./amqp.ts";
export {
  type MqttAdapter,
  type MqttRigOptions,
  type MqttRigOutlook,
  mqttCapabilities,
  mqttRig,
} from "./mqtt.ts";
