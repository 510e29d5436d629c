/** Every code that an error of these packages can carry. Stable: documented, one by one, in `docs/errors.md`. */
export const errorCodes = [
  "INVALID_OPTION",
  "SOURCE_MISSING",
  "ACCESS_REFUSED",
  "BROKER_UNREACHABLE",
  "CONNECTION_LOST",
  "SESSION_ENDED",
  "SUBSCRIPTION_FAILED",
  "UNSUPPORTED_OUTCOME",
  "UNSUPPORTED_MESSAGE",
  "SETTLE_FAILED",
  "PUBLISH_FAILED",
  "KEY_SELECTOR_FAILED",
  "DECODE_FAILED",
  "HANDLER_FAILED",
  "HANDLER_TIMEOUT",
  "DEAD_LETTER_FAILED",
  "BROKER_START_FAILED",
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** The one error class. `code` is stable; the message says what was wrong and what to do. */
export class LabError extends Error {
  override readonly name: string = "LabError";
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** One message of a batch that the broker did not confirm. */
export interface PublishFailure {
  /** Position in the batch given to `publish`. */
  readonly index: number;
  readonly error: Error;
}

/** Some messages of a batch were not confirmed; all others were. */
export class PublishError extends LabError {
  override readonly name: string = "PublishError";
  readonly failures: readonly PublishFailure[];

  constructor(destination: string, total: number, failures: readonly PublishFailure[]) {
    const first = failures[0];
    super(
      "PUBLISH_FAILED",
      `${failures.length} of ${total} messages for "${destination}" were not confirmed; the first, at index ${first?.index}: ` +
        `${first?.error.message}. Publish those in \`failures\` again; the others are confirmed.`,
      { cause: first?.error },
    );
    this.failures = failures;
  }
}

/** An option has a value that cannot work. Says the value got, what was expected and, where it helps, what to do. */
export function invalidOption(name: string, got: unknown, expected: string, todo = ""): LabError {
  const type = got === null ? "null" : typeof got;
  const shown = type === "string" ? `"${got}"` : type === "function" ? "a function" : String(got);
  return new LabError(
    "INVALID_OPTION",
    `Expected \`${name}\` to be ${expected}, got ${shown} (${type}).${todo ? ` ${todo}` : ""}`,
  );
}

/** An `Error` for anything that was thrown. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
}

/** What was thrown at first, beneath the errors of these packages. */
export function rootMessage(error: Error): string {
  return error instanceof LabError && error.cause instanceof Error
    ? rootMessage(error.cause)
    : error.message;
}
