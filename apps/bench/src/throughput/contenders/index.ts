import type { BrokerName } from "../../brokers.ts";
import type { Contender } from "../contender.ts";
import { amqpContenders } from "./amqp.ts";
import { kafkaContenders } from "./kafka.ts";
import { mqttContenders } from "./mqtt.ts";
import { solaceContenders } from "./solace.ts";

/** A broker with a client to compare with. */
export type MeasuredBroker = Exclude<BrokerName, "memory">;

/**
 * All that are measured on each. The first is the fastest loop on the plain client that loses nothing: what the others
 * are compared with.
 */
export const contenders: Readonly<Record<MeasuredBroker, readonly Contender[]>> = {
  mqtt: mqttContenders,
  amqp: amqpContenders,
  kafka: kafkaContenders,
  solace: solaceContenders,
};

export const measuredBrokers: readonly MeasuredBroker[] = Object.keys(
  contenders,
) as MeasuredBroker[];
