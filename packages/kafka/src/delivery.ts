import type { Delivery, Message, Outcome, Session, SettleResult } from "@lab/core";
import { unsupportedOutcome } from "@lab/core/adapter";
import type { Assignment } from "./assignment.ts";
import type { TrackedRecords } from "./offsets/tracker.ts";

/** One record handed out. Kafka does not say what it delivers again. */
export class KafkaDelivery implements Delivery {
  readonly message: Message;
  readonly #assignment: Assignment;
  readonly #page: TrackedRecords;
  readonly #index: number;
  #settled = false;

  constructor(assignment: Assignment, page: TrackedRecords, index: number, message: Message) {
    this.message = message;
    this.#assignment = assignment;
    this.#page = page;
    this.#index = index;
  }

  get redelivered(): boolean {
    return false;
  }

  get deliveryCount(): undefined {
    return undefined;
  }

  get session(): Session {
    return this.#assignment.session;
  }

  settle(outcome: Outcome): SettleResult {
    if (this.#settled) return "repeated";
    if (this.session.ended) {
      this.#settled = true;
      return "stale";
    }
    if (outcome !== "ack") {
      throw unsupportedOutcome(
        outcome,
        "Kafka",
        "It stores one offset per partition and nothing about a single record. Acknowledge it, after a dead letter for example.",
      );
    }
    this.#settled = true;
    this.#assignment.settled(this.#page, this.#index);
    return "settled";
  }
}
