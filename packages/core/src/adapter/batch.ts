import { invalidOption, type LabError, PublishError, type PublishFailure } from "../errors.ts";
import type { OutgoingMessage } from "../ports.ts";

/** The messages of one `publish`, and what has become of them. */
export class Batch {
  readonly destination: string;
  readonly messages: readonly OutgoingMessage[];
  /** Resolves when all are confirmed; rejects when all are decided and some have failed. */
  readonly decided: Promise<void>;
  #failures: PublishFailure[] | undefined;
  #resolve: () => void = () => {};
  #reject: (error: PublishError) => void = () => {};
  #undecided: number;
  /** The next message to send. */
  #next = 0;

  /** @throws {LabError} `INVALID_OPTION` unless `messages` is an array */
  constructor(destination: string, messages: readonly OutgoingMessage[]) {
    const fault = messagesFault(messages);
    if (fault !== undefined) throw fault;
    this.destination = destination;
    this.messages = messages;
    this.#undecided = messages.length;
    this.decided = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    if (this.#undecided === 0) this.#resolve();
  }

  /** The index of the next message, or `undefined` after the last. */
  take(): number | undefined {
    return this.#next < this.messages.length ? this.#next++ : undefined;
  }

  /** All that is not sent yet has failed. */
  failRest(error: Error): void {
    for (let index = this.take(); index !== undefined; index = this.take())
      this.decide(index, error);
  }

  decide(index: number, error: Error | undefined): void {
    if (error !== undefined) {
      this.#failures ??= [];
      this.#failures.push({ index, error });
    }
    if (--this.#undecided > 0) return;
    if (this.#failures === undefined) {
      this.#resolve();
    } else {
      this.#failures.sort((a, b) => a.index - b.index);
      this.#reject(new PublishError(this.destination, this.messages.length, this.#failures));
    }
  }
}

/** Says what is wrong with what `publish` was given as messages. */
export function messagesFault(messages: unknown): LabError | undefined {
  return Array.isArray(messages)
    ? undefined
    : invalidOption("messages", messages, "an array of messages");
}
