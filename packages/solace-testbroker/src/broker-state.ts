import type { Connection } from "./connection.ts";
import type { Endpoint, EndpointKind } from "./endpoint.ts";
import type { Faults } from "./faults.ts";
import type { PublishedMessage } from "./message.ts";
import type { QueueOptions, TestBrokerSettings } from "./options.ts";

/** What a publisher's flow is known by over its connections. */
export interface PublisherRecord {
  readonly name: string;
  lastAcked: number;
}

export interface TestBrokerStats {
  /** Messages taken from publishers. */
  published: number;
  /** Deliveries to consumers, those again included. */
  delivered: number;
  acknowledged: number;
  failed: number;
  rejected: number;
}

/** The broker, as its connections see it. */
export interface BrokerState {
  readonly settings: TestBrokerSettings;
  readonly faults: Faults;
  readonly stats: TestBrokerStats;
  readonly connections: Set<Connection>;
  readonly publishers: Map<string, PublisherRecord>;
  log(line: string): void;
  /** Something malformed came, and its connection is about to be closed. */
  refused(why: string): void;
  nextFlowId(): number;
  nextMessageId(): number;
  endpoint(kind: EndpointKind, name: string): Endpoint | undefined;
  endpoints(): Iterable<Endpoint>;
  create(kind: EndpointKind, name: string, options: QueueOptions): Endpoint;
  /** Returns whether it was there. */
  delete(kind: EndpointKind, name: string): boolean;
  spool(endpoint: Endpoint, message: PublishedMessage): void;
}
