import { type ErrorCode, LabError } from "@lab/core";
import { toError } from "@lab/core/adapter";

/** What the client's codes mean, and what to do. */
const meanings: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  REFUSED: ["BROKER_UNREACHABLE", "Start the broker."],
  LOST: ["CONNECTION_LOST", "Publish again what was not confirmed."],
  NO_QUEUE: ["SOURCE_MISSING", "Create it, or correct the name."],
  TOO_LARGE: ["PUBLISH_FAILED", "Send less."],
};

/** The `LabError` for whatever the client throws. What has no meaning here stays as it is. */
export function labError(thrown: unknown): Error {
  const cause = toError(thrown);
  const meaning = "code" in cause ? meanings[String(cause.code)] : undefined;
  if (meaning === undefined) return cause;
  const [code, todo] = meaning;
  return new LabError(code, `${cause.message} ${todo}`, { cause });
}
