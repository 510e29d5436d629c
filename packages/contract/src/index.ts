export type { ContractCapabilities, Support } from "./capabilities.ts";
export { type ContractOptions, contract } from "./contract.ts";
export { Ledger, type LedgerReport } from "./ledger.ts";
export type { Faults, Refusals, Rig, SubscriberTuning, TestSource } from "./rig.ts";
