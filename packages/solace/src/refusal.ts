import { type ErrorCode, LabError } from "@lab/core";
import { type SolaceModule, SolclientError } from "./solclient.ts";

/** What an answer of the broker's means, and whether it is its last word. */
type Meaning = readonly [code: ErrorCode, final: boolean, todo: string];
type Subcode = keyof SolaceModule["ErrorSubcode"];

const checkUser =
  "Check the user name, the password or certificate, and what the broker allows them.";
const checkName = "Give every subscriber and publisher a `clientName` of its own, or none.";

const passing = new WeakSet<LabError>();

/** A later attempt may have another answer. */
export function passes(error: LabError): boolean {
  return passing.has(error);
}

/** Answers to a login, by the name of the client's subcode. */
const loginMeanings: Partial<Record<Subcode, Meaning>> = {
  LOGIN_FAILURE: ["ACCESS_REFUSED", true, checkUser],
  MESSAGE_VPN_NOT_ALLOWED: [
    "ACCESS_REFUSED",
    true,
    "Check `vpnName`, and that the user may use it.",
  ],
  CLIENT_USERNAME_IS_SHUTDOWN: ["ACCESS_REFUSED", true, "Have the user name enabled."],
  DYNAMIC_CLIENTS_NOT_ALLOWED: ["ACCESS_REFUSED", true, checkUser],
  CLIENT_ACL_DENIED: ["ACCESS_REFUSED", true, "Its ACL profile does not let this address in."],
  BASIC_AUTHENTICATION_IS_SHUTDOWN: ["ACCESS_REFUSED", true, "Use another `authenticationScheme`."],
  CLIENT_CERTIFICATE_AUTHENTICATION_IS_SHUTDOWN: [
    "ACCESS_REFUSED",
    true,
    "Use another `authenticationScheme`.",
  ],
  CLIENT_NAME_INVALID: ["INVALID_OPTION", true, "Change `clientName`."],
  FAILED_LOADING_TRUSTSTORE: ["INVALID_OPTION", true, "Check the files in `sslTrustStores`."],
  FAILED_LOADING_CERTIFICATE_AND_KEY: [
    "INVALID_OPTION",
    true,
    "Check the files `sslCertificate` and `sslPrivateKey`, or `sslPfx`, and their passwords.",
  ],
  NO_LOCAL_NOT_SUPPORTED: ["INVALID_OPTION", true, "Leave out `noLocal`."],
  COMPRESSED_TLS_NOT_SUPPORTED: ["INVALID_OPTION", true, "Leave out `compressionLevel`."],
  CLIENT_NAME_ALREADY_IN_USE: ["ACCESS_REFUSED", false, checkName],
  TOO_MANY_CLIENTS: ["ACCESS_REFUSED", false, "The broker has as many connections as it may have."],
};

const createdElsewhere = "What is there has other properties. Leave out `provision.properties`.";
const checkProvision = "Correct `provision`.";

/** Answers to binding a consumer, or to what belongs to it. */
const bindMeanings: Partial<Record<Subcode, Meaning>> = {
  UNKNOWN_QUEUE_NAME: ["SOURCE_MISSING", true, "Create it, or correct the name."],
  UNKNOWN_TOPIC_ENDPOINT_NAME: ["SOURCE_MISSING", true, "Create it, or correct the name."],
  PERMISSION_NOT_ALLOWED: [
    "ACCESS_REFUSED",
    true,
    "The user needs the permission `consume` on it, or has to own it.",
  ],
  SUBSCRIPTION_ACL_DENIED: ["ACCESS_REFUSED", true, "The user may not subscribe to the topic."],
  QUEUE_SHUTDOWN: ["ACCESS_REFUSED", false, "Enable its egress."],
  TOPIC_ENDPOINT_SHUTDOWN: ["ACCESS_REFUSED", false, "Enable its egress."],
  MAX_CLIENTS_FOR_QUEUE: [
    "ACCESS_REFUSED",
    false,
    "Raise its max-bind-count, or start fewer members.",
  ],
  MAX_CLIENTS_FOR_TE: [
    "ACCESS_REFUSED",
    false,
    "Raise its max-bind-count, or start fewer members.",
  ],
  ALREADY_BOUND: ["ACCESS_REFUSED", false, "It is exclusive to another client."],
  INVALID_TOPIC_SYNTAX: ["INVALID_OPTION", true, "Correct the topic."],
  INVALID_TOPIC_NAME_FOR_TOPIC_ENDPOINT: ["INVALID_OPTION", true, "Correct `topic`."],
  SUBSCRIPTION_DOES_NOT_MATCH: ["INVALID_OPTION", true, "It has another `topic`."],
  ENDPOINT_PROPERTY_MISMATCH: ["INVALID_OPTION", true, createdElsewhere],
  INVALID_QUEUE_NAME: ["INVALID_OPTION", true, "Correct the name."],
  INVALID_DTE_NAME: ["INVALID_OPTION", true, "Correct the name."],
  INVALID_TE_NAME: ["INVALID_OPTION", true, "Correct the name."],
  QUOTA_OUT_OF_RANGE: ["INVALID_OPTION", true, checkProvision],
  MESSAGE_SIZE_OUT_OF_RANGE: ["INVALID_OPTION", true, checkProvision],
  UNSUPPORTED_PERMISSIONS: ["INVALID_OPTION", true, checkProvision],
};

/** Answers to a message. */
const publishMeanings: Partial<Record<Subcode, Meaning>> = {
  PUBLISH_ACL_DENIED: ["ACCESS_REFUSED", true, "The user may not publish there."],
  PERMISSION_NOT_ALLOWED: ["ACCESS_REFUSED", true, "The user may not publish there."],
  QUEUE_NOT_FOUND: ["SOURCE_MISSING", true, "Create the queue, or correct the name."],
  NO_SUBSCRIPTION_MATCH: ["SOURCE_MISSING", true, "No queue subscribes to the topic."],
  SPOOL_OVER_QUOTA: ["PUBLISH_FAILED", false, "The queue, or the broker, is full."],
  MAX_MESSAGE_USAGE_EXCEEDED: ["PUBLISH_FAILED", false, "The queue is full."],
  MESSAGE_TOO_LARGE: ["PUBLISH_FAILED", true, "Send less, or have the limit raised."],
};

/** Why no session could be had. */
export function loginRefusal(solace: SolaceModule, thrown: unknown): LabError {
  const error = refusal(solace, loginMeanings, "No connection to the broker", thrown, [
    "BROKER_UNREACHABLE",
    false,
    "Check the address, the port, TLS and its certificates, and that it runs.",
  ]);
  // What is wrong at the broker, it does not hold against the client for good.
  const { responseCode = 0 } = error.cause instanceof SolclientError ? error.cause : {};
  if (responseCode >= 500) passing.add(error);
  return error;
}

/** Why a queue or topic endpoint cannot be consumed. */
export function bindRefusal(solace: SolaceModule, source: string, thrown: unknown): LabError {
  return refusal(solace, bindMeanings, `Cannot consume "${source}"`, thrown, [
    "BROKER_UNREACHABLE",
    false,
    "The broker does not serve it now.",
  ]);
}

/** Why the broker, or the client, does not take a message. */
export function messageRefusal(
  solace: SolaceModule,
  destination: string,
  thrown: unknown,
): LabError {
  const what = `The message for "${destination}" was rejected`;
  return refusal(solace, publishMeanings, what, thrown, ["PUBLISH_FAILED", true, ""]);
}

/** A connection that was gone before anything could be asked for. */
export function lostAtStart(cause: LabError): LabError {
  const error = new LabError("BROKER_UNREACHABLE", cause.message, { cause });
  passing.add(error);
  return error;
}

/** Why a session ended that had worked. */
export function lossOf(what: string, thrown: unknown): LabError {
  if (thrown instanceof LabError) return thrown;
  const cause = new SolclientError(thrown);
  return new LabError("CONNECTION_LOST", `Lost ${what}: ${cause.message}.`, { cause });
}

function refusal(
  solace: SolaceModule,
  meanings: Partial<Record<Subcode, Meaning>>,
  what: string,
  thrown: unknown,
  otherwise: Meaning,
): LabError {
  if (thrown instanceof LabError) return thrown;
  const cause = new SolclientError(thrown);
  const [code, final, todo] = meaningOf(solace, meanings, cause) ?? otherwise;
  const answer = cause.responseCode === undefined ? "" : ` (${cause.responseCode})`;
  const text = `${what}: ${cause.message}${answer}. ${todo}`;
  const error = new LabError(code, text.trimEnd(), { cause });
  if (!final) passing.add(error);
  return error;
}

/** Several names may stand for one number; only those in the table matter. */
function meaningOf(
  solace: SolaceModule,
  meanings: Partial<Record<Subcode, Meaning>>,
  { subcode }: SolclientError,
): Meaning | undefined {
  for (const [name, meaning] of Object.entries(meanings)) {
    if (solace.ErrorSubcode[name as Subcode] === subcode) return meaning;
  }
  return undefined;
}
