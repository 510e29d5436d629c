import type { BrokerKind } from "../kind.ts";
import { amqp } from "./amqp/index.ts";
import { kafka } from "./kafka/index.ts";
import { mqtt } from "./mqtt/index.ts";
import { solace } from "./solace/index.ts";

/** Every broker that the test bed can start. */
export const brokerNames = ["mqtt", "amqp", "kafka", "solace"] as const;

export type BrokerName = (typeof brokerNames)[number];

export const kinds: Readonly<Record<BrokerName, BrokerKind>> = {
  mqtt,
  amqp,
  kafka,
  solace,
};
