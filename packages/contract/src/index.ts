export type { ContractCapabilities, Support } from "./capabilities.ts";
export type { Faults, Refusals, Rig, SubscriberTuning, TestSource } from "./rig.ts";
