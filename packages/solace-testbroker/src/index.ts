export { type Depth, SolaceTestBroker } from "./broker.ts";
export type { TestBrokerStats } from "./broker-state.ts";
export type { Faults, LoginAttempt, Refusal, Verdict } from "./faults.ts";
export type { QueueOptions, TestBrokerOptions } from "./options.ts";
