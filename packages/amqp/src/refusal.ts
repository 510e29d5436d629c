import { type ErrorCode, LabError } from "@lab/core";
import { toError } from "@lab/core/adapter";

const vhostRefused =
  "The broker does not open the virtual host: it does not exist, or this user may not use it, or has too many connections. " +
  "Check the path of the URL (`/` in a name is %2F) and the permissions.";

/** What amqplib says of a handshake that cannot succeed: it gives no code. */
const finalConnectFaults: readonly (readonly [RegExp, ErrorCode, string])[] = [
  [/ACCESS[_-]REFUSED/, "ACCESS_REFUSED", "The broker refuses the user name or the password."],
  [/got <ConnectionClose/, "ACCESS_REFUSED", vhostRefused],
  [/SASL mechanism/, "ACCESS_REFUSED", "The broker does not know the way of authentication."],
  [
    /^Expected amqp: or amqps:/,
    "INVALID_OPTION",
    "`connect` gave amqplib something that is no URL such as amqp://user:password@host:5672/vhost.",
  ],
  [/maxFrameSize/, "INVALID_OPTION", "`connect` gave amqplib an option that cannot work."],
];

/** Says why a connection could not be made. */
export function connectFault(thrown: unknown): LabError {
  if (thrown instanceof LabError) return thrown;
  const error = toError(thrown);
  const code = String((error as { code?: unknown }).code ?? "");
  // What Node throws for a bad URL has the whole of it, the password included.
  const cause = "input" in error ? undefined : error;
  for (const [pattern, labCode, text] of finalConnectFaults) {
    if (pattern.test(error.message)) {
      return new LabError(labCode, `${text} (${error.message})`, { cause });
    }
  }
  if (/^ERR_(INVALID|SOCKET_BAD)_/.test(code)) {
    return new LabError("INVALID_OPTION", `\`connect\` threw: ${error.message}. Correct it.`, {
      cause,
    });
  }
  const text =
    `No connection to the broker: ${error.message.trim() || code}. ` +
    "Check the address, the port, TLS, and that it runs.";
  return new LabError("BROKER_UNREACHABLE", text, { cause });
}

/** Reply codes of a channel, and what can be done about them. */
const channelFaults: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  403: ["ACCESS_REFUSED", "Check what the broker allows this user."],
  404: ["SOURCE_MISSING", "Create it, or correct the name."],
  405: ["ACCESS_REFUSED", "It belongs to another connection alone."],
  406: ["INVALID_OPTION", "What is declared has to be as it is at the broker."],
  530: ["INVALID_OPTION", "The broker does not allow that."],
  540: ["INVALID_OPTION", "The broker cannot do that."],
};

/** Says why the broker refused what was asked on a channel. */
export function channelFault(what: string, cause: Error): LabError {
  const { code } = cause as { code?: unknown };
  const [labCode, todo] = channelFaults[Number(code)] ?? [];
  const text = `${what}: ${replyText(cause)}.`;
  // A queue of a cluster whose node is away is "not found" too, until that node is back.
  if (labCode === undefined || /is down or inaccessible/.test(cause.message)) {
    return new LabError("BROKER_UNREACHABLE", text, { cause });
  }
  return new LabError(labCode, `${text} ${todo}`, { cause });
}

/** Says why a session has ended. */
export function lossOf(source: string, cause: Error): LabError {
  if (cause instanceof LabError) return cause;
  const text = `Lost the consumer of "${source}": ${replyText(cause)}.`;
  const todo = /delivery acknowledgement .* timed out/.test(cause.message)
    ? " Keep window × mean handler time ÷ lanes well below the broker's `consumer_timeout`: a smaller `window`, or more `lanes`."
    : "";
  return new LabError("CONNECTION_LOST", `${text}${todo}`, { cause });
}

/** Says what has become of messages that were in flight when the channel, or the connection, ended. */
export function publishLoss(cause: Error): LabError {
  if (cause instanceof LabError) return cause;
  const { code } = cause as { code?: unknown };
  const text = replyText(cause);
  if (code === 403 || code === 404) return channelFault("Cannot publish", cause);
  if (code === 406) {
    const todo = "Messages around the one that it means have failed with it: publish them again.";
    return new LabError("PUBLISH_FAILED", `The broker refuses a message: ${text}. ${todo}`, {
      cause,
    });
  }
  const todo = "The message may have arrived; publish it again if twice does no harm.";
  return new LabError(
    "CONNECTION_LOST",
    `Lost the connection before the broker had confirmed: ${text}. ${todo}`,
    { cause },
  );
}

/** The broker's own words, out of amqplib's. */
function replyText({ message }: Error): string {
  return /with message "(.*)"$/s.exec(message)?.[1] ?? message;
}
