import type { Change } from "../change.ts";

/** What the server's process publishes to clients with, and hears them by. */
export interface Host {
  /** What the client connects to. */
  readonly url: string;
  /** Resolves when all are written, or confirmed where the broker is another process. */
  publish(changes: readonly Change[]): Promise<void>;
}

/** Called for each message that the client has published. */
export type Heard = (topic: string, body: Buffer) => void;
