import type { BrokerKind } from "../kind.ts";
import { mqtt } from "./mqtt/index.ts";

/** Every broker that the test bed can start. */
export const brokerNames = ["mqtt"] as const;

export type BrokerName = (typeof brokerNames)[number];

export const kinds: Readonly<Record<BrokerName, BrokerKind>> = { mqtt };
