import type { ContractCapabilities } from "../capabilities.ts";

/** What the memory broker and its rig claim: everything but a time after which a silent client is taken for dead. */
export const memoryCapabilities: ContractCapabilities = {
  settles: "individually",
  nack: true,
  reject: true,
  deliveryCount: true,
  partitions: "none",
  resumes: false,
  headers: true,
  keys: true,
  competing: true,
  handover: true,
  redelivered: true,
  deleteSource: true,
  cut: true,
  restart: true,
  missingSource: true,
  wrongCredentials: true,
  unreachable: true,
  refusedDestination: true,
  refusedMessage: true,
  keepAliveMs: "The memory broker has no connection to keep alive.",
};
