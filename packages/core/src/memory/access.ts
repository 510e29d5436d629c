import type { Clock } from "../clock.ts";
import type { MemoryQueue } from "./queue.ts";

/** A client's connection, as the broker sees it. */
export interface Connection {
  connectionLost(cause: Error): void;
}

/** What a client can do at the broker, with the password that it was given. */
export interface BrokerAccess {
  readonly clock: Clock;
  readonly maxBodyBytes: number;
  /** @throws {LabError} `BROKER_UNREACHABLE`, `ACCESS_REFUSED` or `SOURCE_MISSING` */
  open(queue: string): MemoryQueue;
  connect(connection: Connection): unknown;
  disconnect(connection: Connection): unknown;
}
