import type { Outbox } from "./outbox.ts";
import type { SharedGroup } from "./shared-group.ts";
import type { Subscription } from "./subscribers.ts";
import type { ClientInfo, MessageProperties, Qos } from "./types.ts";

export interface Will {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: Qos;
  readonly retain: boolean;
  readonly properties: MessageProperties;
  /** In seconds. */
  readonly delay: number;
}

/** The connection that a session is in use by. */
export interface SessionClient {
  readonly info: ClientInfo;
  /** Says why where the protocol can, and closes. */
  close(reasonCode: number, reason: string): void;
}

/** What outlives a connection. */
export class Session {
  readonly clientId: string;
  readonly outbox: Outbox;
  /** By filter, as the client gave it. */
  readonly subscriptions: Map<string, Subscription> = new Map();
  readonly groups: Set<SharedGroup> = new Set();
  /** Ids of QoS 2 messages that have come and are not released. */
  readonly received: Set<number> = new Set();
  client: SessionClient | undefined = undefined;
  /** Of the client that had it last. */
  info: ClientInfo | undefined = undefined;
  /** How long it lives without its client, in seconds. */
  expiry = 0;
  will: Will | undefined = undefined;
  /** Cancels what is to happen while its client is away. */
  cancelTimers: () => void = () => {};
  ended = false;

  constructor(clientId: string, outbox: Outbox) {
    this.clientId = clientId;
    this.outbox = outbox;
  }

  get connected(): boolean {
    return this.client !== undefined;
  }

  /** Sends what can be sent: first what waits for this client alone. */
  pump(): void {
    this.outbox.pump();
    if (this.groups.size === 0) return;
    const [first] = this.groups;
    for (const group of [...this.groups]) group.pull(this);
    if (first !== undefined && this.groups.size > 1 && this.groups.delete(first)) {
      this.groups.add(first); // Another one comes first the next time.
    }
  }
}
