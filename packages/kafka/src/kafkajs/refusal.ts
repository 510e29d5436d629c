import { type ErrorCode, LabError } from "@lab/core";
import { toError } from "@lab/core/adapter";

/** What a fault is about, for its message. */
export interface About {
  readonly topic: string;
  readonly groupId?: string;
}

export interface Fault {
  readonly error: LabError;
  /**
   * - `final`: trying again cannot help.
   * - `passing`: brokers are away, or moving.
   * - `odd`: nobody knows; if it comes again and again without a record in between, it is final.
   */
  readonly kind: "final" | "passing" | "odd";
}

type Refusal = readonly [ErrorCode, string];

/** By the protocol's name of the error, or kafkajs's class where the broker has no part in it. */
const refusals: Readonly<Record<string, Refusal>> = {
  UNKNOWN_TOPIC_OR_PARTITION: ["SOURCE_MISSING", "Create the topic, or correct its name."],
  TOPIC_AUTHORIZATION_FAILED: ["ACCESS_REFUSED", "Allow this user to read the topic."],
  GROUP_AUTHORIZATION_FAILED: ["ACCESS_REFUSED", "Allow this user to read in the group."],
  CLUSTER_AUTHORIZATION_FAILED: [
    "ACCESS_REFUSED",
    "Check what the brokers allow this user. A publisher without permission to write idempotently needs `producer: { idempotent: false }`.",
  ],
  SASL_AUTHENTICATION_FAILED: ["ACCESS_REFUSED", "Check `sasl`: mechanism, user name, password."],
  KafkaJSSASLAuthenticationError: ["ACCESS_REFUSED", "Check `sasl`: mechanism, user, password."],
  UNSUPPORTED_SASL_MECHANISM: ["ACCESS_REFUSED", "The brokers do not offer `sasl.mechanism`."],
  ILLEGAL_SASL_STATE: ["ACCESS_REFUSED", "Check whether the brokers' listener asks for SASL."],
  INVALID_TOPIC_EXCEPTION: ["INVALID_OPTION", "That is no name for a topic."],
  INVALID_GROUP_ID: ["INVALID_OPTION", "That is no name for a group."],
  INVALID_SESSION_TIMEOUT: [
    "INVALID_OPTION",
    "The brokers allow `consumer.sessionTimeout` between group.min.session.timeout.ms and group.max.session.timeout.ms.",
  ],
  INCONSISTENT_GROUP_PROTOCOL: [
    "INVALID_OPTION",
    "The other members of the group assign partitions in another way: use the same client and the same " +
      "`consumer.partitionAssigners` in all of them, or another `groupId`.",
  ],
  KafkaJSServerDoesNotSupportApiKey: [
    "INVALID_OPTION",
    "The brokers lack a part of Kafka's protocol. A publisher needs less of it with `producer: { idempotent: false }`.",
  ],
  KafkaJSNotImplemented: [
    "SUBSCRIPTION_FAILED",
    "A batch is compressed with a codec that kafkajs does not have: register one, " +
      "CompressionCodecs[CompressionTypes.Snappy] = …, before you consume.",
  ],
  KafkaJSUnsupportedMagicByteInMessageSet: [
    "SUBSCRIPTION_FAILED",
    "The topic has records in a format that kafkajs does not know.",
  ],
};

const passing: readonly string[] = [
  "KafkaJSConnectionError",
  "KafkaJSConnectionClosedError",
  "KafkaJSRequestTimeoutError",
  "KafkaJSBrokerNotFound",
  "KafkaJSNoBrokerAvailableError",
  "KafkaJSMetadataNotLoaded",
  "KafkaJSTopicMetadataNotLoaded",
  "KafkaJSGroupCoordinatorNotFound",
  "KafkaJSLockTimeout",
];

/** Says why kafkajs has given up, and whether to try again. */
export function faultOf(thrown: unknown, about: About): Fault {
  const cause = toError(thrown);
  if (cause instanceof LabError) return { error: cause, kind: "final" };
  const chain = [...causes(cause)];
  for (const { name, type } of chain) {
    const refusal = refusals[type ?? ""] ?? refusals[name];
    if (refusal === undefined) continue;
    const [code, todo] = refusal;
    const text = `Kafka refuses ${subject(about)}: ${cause.message}. ${todo}`;
    return { error: new LabError(code, text, { cause }), kind: "final" };
  }
  const known = chain.some(({ name, retriable }) => passing.includes(name) || retriable === true);
  const text =
    `No connection to Kafka for ${subject(about)}: ${cause.message}. ` +
    "Check `brokers`, `ssl` and `sasl`, and that the brokers run and are reachable under the addresses that they advertise.";
  return {
    error: new LabError("BROKER_UNREACHABLE", text, { cause }),
    kind: known ? "passing" : "odd",
  };
}

/** The protocol's name of what was thrown, if it is an answer of a broker. */
export function protocolError(thrown: unknown): string | undefined {
  for (const { type } of causes(toError(thrown))) if (type !== undefined) return type;
  return undefined;
}

interface KafkajsError extends Error {
  readonly type?: string;
  readonly retriable?: boolean;
}

function* causes(error: Error): Generator<KafkajsError> {
  let next: unknown = error;
  for (let depth = 0; next instanceof Error && depth < 10; depth++) {
    yield next;
    next = next.cause;
  }
}

function subject({ topic, groupId }: About): string {
  return `topic "${topic}"${groupId === undefined ? "" : ` and group "${groupId}"`}`;
}
