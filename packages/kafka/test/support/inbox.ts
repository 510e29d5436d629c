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

  deliver(delivery: Delivery): void {
    this.deliveries.push(delivery);
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

  get bodies(): string[] {
    return this.deliveries.map(({ message }) => Buffer.from(message.body).toString());
  }

  /** Waits until `count` have arrived. */
  received(count: number): Promise<void> {
    return eventually(
      () => this.deliveries.length >= count,
      () => `${count} deliveries, got ${this.deliveries.length}`,
    );
  }
}

/** Waits for what must become true. */
export async function eventually(
  check: () => boolean | Promise<boolean>,
  what: () => string,
  limit = 20_000,
): Promise<void> {
  const deadline = performance.now() + limit;
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`Not within ${limit} ms: ${what()}`);
    await sleep(5);
  }
}
