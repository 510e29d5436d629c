import type { PublishBroker } from "../../brokers.ts";
import { amqpClient } from "./amqp.ts";
import type { PlainClient } from "./client.ts";
import { kafkaClient } from "./kafka.ts";
import { mqttClient } from "./mqtt.ts";
import { solaceClient } from "./solace.ts";

/** What there is to compare with on each broker. */
export const plainClients: Readonly<Partial<Record<PublishBroker, PlainClient>>> = {
  mqtt: mqttClient,
  lab: mqttClient,
  amqp: amqpClient,
  kafka: kafkaClient,
  solace: solaceClient,
};
