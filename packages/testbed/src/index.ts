export type {
  Availability,
  Candidate,
  Credentials,
  How,
  RunningBroker,
  StartOptions,
} from "./broker.ts";
export { type BrokerName, brokerNames } from "./kinds/index.ts";
export { availability, startBroker } from "./start.ts";
