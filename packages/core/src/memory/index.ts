/** A broker in this process: for tests, for examples, and the reference that the contract suite is proven on. */
export {
  MemoryBroker,
  type MemoryBrokerOptions,
  type MemoryClientOptions,
  type QueueDepth,
} from "./broker.ts";
export type { QueueOptions } from "./queue.ts";
