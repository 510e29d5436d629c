import { setTimeout as sleep } from "node:timers/promises";
import type { ConnectionState, Delivery, Session, Sink } from "@lab/core";

/** A sink that keeps everything. */
export class Inbox implements Sink {
  readonly deliveries: Delivery[] = [];
  readonly ended: Session[] = [];
  readonly states: { readonly state: ConnectionState; readonly cause: Error | undefined }[] = [];
  readonly failures: Error[] = [];
  /** Called with each delivery. */
  onDelivery: (delivery: Delivery) => void = () => {};
  /** Deliveries not settled, now and at most, when they are settled by `settle`. */
  open = 0;
  mostOpen = 0;

  deliver(delivery: Delivery): void {
    this.deliveries.push(delivery);
    this.open++;
    this.mostOpen = Math.max(this.mostOpen, this.open);
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
    this.open--;
    delivery.settle("ack");
  }

  get bodies(): string[] {
    return this.deliveries.map(({ message }) => Buffer.from(message.body).toString());
  }

  /** Waits until `count` have arrived. */
  async received(count: number): Promise<void> {
    await eventually(
      `${count} deliveries, got ${this.deliveries.length}`,
      () => this.deliveries.length >= count,
    );
  }

  async state(state: ConnectionState, times = 1): Promise<void> {
    await eventually(
      `${state} × ${times}`,
      () => this.states.filter((s) => s.state === state).length >= times,
    );
  }
}

/** Waits for what must become true. */
export async function eventually(
  what: string,
  check: () => boolean,
  limit = 15_000,
): Promise<void> {
  const deadline = performance.now() + limit;
  while (!check()) {
    if (performance.now() > deadline) throw new Error(`Not within ${limit} ms: ${what}`);
    await sleep(2);
  }
}
