import type { Delivery, Session, Sink } from "@lab/core";
import { entryOf, nameOf } from "./messages.ts";

/** A sink that keeps what arrives and settles nothing by itself: the adapter alone, without the engine. */
export class Tap implements Sink {
  readonly deliveries: Delivery[] = [];
  readonly endedSessions: Session[] = [];
  readonly failures: Error[] = [];
  /** Called with each delivery, when set. */
  onDelivery: ((delivery: Delivery) => void) | undefined;

  deliver(delivery: Delivery): void {
    this.deliveries.push(delivery);
    this.onDelivery?.(delivery);
  }

  sessionEnded(session: Session): void {
    this.endedSessions.push(session);
  }

  connection(): void {}

  failed(error: Error): void {
    this.failures.push(error);
  }

  /** What has arrived, by name, in the order of arrival. */
  get names(): string[] {
    return this.deliveries.map(({ message }) => nameOf(entryOf(message)));
  }
}
