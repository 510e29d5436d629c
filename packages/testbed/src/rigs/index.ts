export {
  type MqttAdapter,
  type MqttRigOptions,
  type MqttRigOutlook,
  mqttCapabilities,
  mqttRig,
} from "./mqtt.ts";
