import type { ConnectionState, Delivery, Outcome, Session, Sink } from "@lab/core";

/** A sink that keeps what it is given. */
export class Inbox implements Sink {
  readonly deliveries: Delivery[] = [];
  readonly endedSessions: Session[] = [];
  readonly states: ConnectionState[] = [];
  /** Why connections were lost or could not be made. */
  readonly causes: Error[] = [];
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

  connection(state: ConnectionState, cause?: Error): void {
    this.states.push(state);
    if (cause !== undefined) this.causes.push(cause);
  }

  failed(error: Error): void {
    this.failures.push(error);
  }

  /** Bodies as text, in the order of arrival. */
  get bodies(): string[] {
    return this.deliveries.map(({ message }) => Buffer.from(message.body).toString());
  }

  /** How often it was told that the connection is there. */
  get connections(): number {
    return this.states.filter((state) => state === "connected").length;
  }

  settleAll(outcome: Outcome = "ack"): void {
    for (const delivery of this.deliveries) delivery.settle(outcome);
  }
}
