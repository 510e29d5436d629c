import { type ErrorCode, LabError } from "@lab/core";
import { toError } from "@lab/core/adapter";
import type { IClientOptions, MqttClient } from "mqtt";

/** Reason codes of CONNACK and DISCONNECT, 3.1.1 below 128 and 5 above, that no later attempt will change. */
const finalReasons: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  1: ["INVALID_OPTION", "It does not speak this version: set `protocolVersion`."],
  2: ["INVALID_OPTION", "It refuses the client id: set another `clientId`."],
  4: ["ACCESS_REFUSED", "Check the user name and the password."],
  5: ["ACCESS_REFUSED", "Check the user name, the password and what the broker allows them."],
  132: ["INVALID_OPTION", "It does not speak this version: set `protocolVersion`."],
  133: ["INVALID_OPTION", "It refuses the client id: set another `clientId`."],
  134: ["ACCESS_REFUSED", "Check the user name and the password."],
  135: ["ACCESS_REFUSED", "Check the user name, the password and what the broker allows them."],
  138: ["ACCESS_REFUSED", "The client is banned: ask whoever runs the broker."],
  140: ["ACCESS_REFUSED", "It does not know the authentication method."],
  142: [
    "SUBSCRIPTION_FAILED",
    "Another client has connected with the same client id: give every subscriber its own.",
  ],
  154: ["INVALID_OPTION", "It keeps no retained messages: leave `retain` out, of the will too."],
  155: ["INVALID_OPTION", "It does not offer the QoS of the will."],
};

/** Says why a connection failed or was lost. `final` errors are for good: trying again cannot help. */
export function connectionFault(
  client: MqttClient,
  thrown: unknown,
): { readonly error: LabError; readonly final: boolean } {
  const cause = toError(thrown);
  const code: unknown = (cause as { code?: unknown }).code;
  const where = addressOf(client.options);
  if (typeof code === "number") {
    const [labCode, todo] = finalReasons[code] ?? [];
    const text = `No connection to the broker at ${where}: ${cause.message} (reason ${code}).`;
    if (labCode !== undefined) {
      return { error: new LabError(labCode, `${text} ${todo}`, { cause }), final: true };
    }
    return { error: new LabError("BROKER_UNREACHABLE", text, { cause }), final: false };
  }
  if (typeof code === "string" && /_ALERT_/.test(code)) {
    const text = `The broker at ${where} ended the TLS handshake: ${cause.message}. Check the client's certificate.`;
    return { error: new LabError("ACCESS_REFUSED", text, { cause }), final: true };
  }
  const text =
    `No connection to the broker at ${where}: ${cause.message || String(code)}. ` +
    "Check the address, the port, TLS, and that it runs.";
  return { error: new LabError("BROKER_UNREACHABLE", text, { cause }), final: false };
}

/** Reason codes of SUBACK that say that the filter asks for what the broker does not offer. */
const unsupportedFilters: Readonly<Record<number, string>> = {
  143: "The broker refuses the topic filter.",
  158: "The broker has no shared subscriptions.",
  162: "The broker has no wildcard subscriptions.",
};

/** Says why a SUBSCRIBE was refused. */
export function subscriptionRefusal(source: string, reason: number, cause?: Error): LabError {
  const unsupported = unsupportedFilters[reason];
  if (unsupported !== undefined) {
    return new LabError("INVALID_OPTION", `${unsupported} Change \`source\`, got "${source}".`, {
      cause,
    });
  }
  return new LabError(
    "ACCESS_REFUSED",
    `The broker refuses the subscription to "${source}" (reason ${reason}). Check what it allows this client.`,
    { cause },
  );
}

/** Host and port, never the credentials. */
export function addressOf(options: IClientOptions): string {
  const { protocol, host, hostname, port, path } = options;
  if (path !== undefined && host === undefined) return path;
  return `${protocol ?? "mqtt"}://${hostname ?? host ?? "localhost"}${port === undefined ? "" : `:${port}`}`;
}
