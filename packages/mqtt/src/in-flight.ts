import type { Batch } from "@lab/core/adapter";

export type Decided = (sent: InFlight, error: Error | null | undefined) => void;

/**
 * A message that is sent and not decided. It is the entry of mqtt.js's `outgoing` too: there is one for each message, and
 * what each needs decides how much the garbage collector has to do.
 */
export class InFlight {
  readonly batch: Batch;
  readonly index: number;
  /** 0 at QoS 0. */
  packetId = 0;
  /** For mqtt.js: to be sent again after a reconnect. */
  readonly volatile = false;
  readonly cmd = "publish";
  /** Called by mqtt.js with the broker's answer. */
  readonly cb: (error?: Error | null) => void;

  constructor(batch: Batch, index: number, decided: Decided) {
    this.batch = batch;
    this.index = index;
    this.cb = (error) => decided(this, error);
  }
}
