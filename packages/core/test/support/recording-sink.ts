import type { ConnectionState, Delivery, Session, Sink } from "../../src/ports.ts";

/** What the sink was told, in order. */
export type Told =
  | { readonly kind: "delivery"; readonly delivery: Delivery }
  | { readonly kind: "ended"; readonly session: Session }
  | { readonly kind: "connection"; readonly state: ConnectionState; readonly cause?: Error }
  | { readonly kind: "failed"; readonly error: Error };

/** Keeps everything that an adapter tells, and lets a test wait for it. */
export class RecordingSink implements Sink {
  readonly told: Told[] = [];
  readonly deliveries: Delivery[] = [];
  readonly #onDelivery: ((delivery: Delivery) => void) | undefined;
  readonly #waiting: { condition: () => boolean; resolve: () => void }[] = [];

  constructor(onDelivery?: (delivery: Delivery) => void) {
    this.#onDelivery = onDelivery;
  }

  /** The bodies, as text. */
  get texts(): string[] {
    return this.deliveries.map((delivery) => Buffer.from(delivery.message.body).toString());
  }

  get states(): ConnectionState[] {
    return this.told.flatMap((entry) => (entry.kind === "connection" ? [entry.state] : []));
  }

  deliver(delivery: Delivery): void {
    this.deliveries.push(delivery);
    this.#tell({ kind: "delivery", delivery });
    this.#onDelivery?.(delivery);
  }

  sessionEnded(session: Session): void {
    this.#tell({ kind: "ended", session });
  }

  connection(state: ConnectionState, cause?: Error): void {
    this.#tell({ kind: "connection", state, ...(cause && { cause }) });
  }

  failed(error: Error): void {
    this.#tell({ kind: "failed", error });
  }

  /** Resolves as soon as `condition` holds; the test's own time limit is the limit. */
  until(condition: () => boolean): Promise<void> {
    if (condition()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ condition, resolve }));
  }

  received(count: number): Promise<void> {
    return this.until(() => this.deliveries.length >= count);
  }

  #tell(entry: Told): void {
    this.told.push(entry);
    for (const waiting of this.#waiting) if (waiting.condition()) waiting.resolve();
  }
}
