/** Every broker that the test bed can start. */
export const brokerNames = ["mqtt"] as const;

export type BrokerName = (typeof brokerNames)[number];
