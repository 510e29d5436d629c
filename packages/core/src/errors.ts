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
        `${first?.error.message.replace(/\.$/, "")}. Publish those in \`failures\` again; the others are confirmed.`,
      { cause: first?.error },
    );
    this.failures = failures;
  }
}

/** An option has a value that cannot work. Says the value got, what was expected and, where it helps, what to do. */
export function invalidOption(name: string, got: unknown, expected: string, todo = ""): LabError {
  return new LabError(
    "INVALID_OPTION",
    `Expected \`${name}\` to be ${expected}, got ${shown(got)}.${todo ? ` ${todo}` : ""}`,
  );
}

/** A value and its type. What is in an object is not shown: it may be a password. */
function shown(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  if (typeof value === "function") return "a function";
  return `${typeof value === "string" ? `"${value}"` : String(value)} (${typeof value})`;
}

/** An `Error` with a text for anything that was thrown. */
export function toError(thrown: unknown): Error {
  try {
    if (thrown instanceof Error && typeof thrown.message === "string") return thrown;
    const { message } = Object(thrown);
    return new Error(typeof message === "string" ? message : String(thrown), { cause: thrown });
  } catch {
    // It refuses to be looked at: a revoked proxy, an object without a prototype.
    return new Error("something that cannot be shown was thrown", { cause: thrown });
  }
}

/** What was thrown at first, beneath the errors of these packages. */
export function rootMessage(error: Error): string {
  return error instanceof LabError && error.cause instanceof Error
    ? rootMessage(error.cause)
    : error.message;
}
