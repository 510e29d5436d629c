import type { ConnectionState, Delivery, Session, Sink } from "@lab/core";
import { eventually } from "./eventually.ts";

/** A sink that keeps everything. */
export class Inbox implements Sink {
  readonly deliveries: Delivery[] = [];
  readonly ended: Session[] = [];
  readonly states: { readonly state: ConnectionState; readonly cause: Error | undefined }[] = [];
  readonly failures: Error[] = [];
  /** Called with each delivery. */
  onDelivery: (delivery: Delivery) => void = () => {};
  /** The most that were unsettled at once, of those that are settled by `settle`. */
  mostOpen = 0;
  #open = 0;

  deliver(delivery: Delivery): void {
    this.deliveries.push(delivery);
    this.mostOpen = Math.max(this.mostOpen, ++this.#open);
    this.onDelivery(delivery);
  }

  sessionEnded(session: Session): void {
    this.ended.push(session);
  }

  connection(state: ConnectionState, cause?: Error): void {
    this.states.push({ state, cause });
  }

  failed(error: Error): void {
    this.failures.push(error);
  }

  settle(delivery: Delivery): void {
    this.#open--;
    delivery.settle("ack");
  }

  /** As text, in the order of arrival. */
  get bodies(): string[] {
    return this.deliveries.map(({ message }) => Buffer.from(message.body).toString());
  }

  /** Waits until `count` have arrived. */
  async received(count: number): Promise<void> {
    await eventually(
      () => `${count} deliveries, got ${this.deliveries.length}`,
      () => this.deliveries.length >= count,
    );
  }

  async state(state: ConnectionState, times = 1): Promise<void> {
    await eventually(
      () => `${state} × ${times}, got ${this.states.map((s) => s.state)}`,
      () => this.states.filter((s) => s.state === state).length >= times,
    );
  }
}
