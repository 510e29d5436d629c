import { invalidOption } from "@lab/core/adapter";
import { longestTimer } from "./timer.ts";
import type { BrokerHooks, BrokerLimits, MqttBrokerOptions } from "./types.ts";

export interface Settings extends BrokerLimits, BrokerHooks {}

const MiB = 1_048_576;
const countless = Number.MAX_SAFE_INTEGER;

/** Default, least and most of each limit. */
const limits: { readonly [Name in keyof BrokerLimits]: readonly [number, number, number] } = {
  maxClients: [10_000, 1, countless],
  maxSessions: [20_000, 1, countless],
  maxSubscriptions: [100_000, 1, countless],
  maxInflight: [65_535, 1, 65_535],
  maxQueuedMessages: [100_000, 1, countless],
  maxQueuedBytes: [64 * MiB, 1, countless],
  maxPacketSize: [16 * MiB, 128, 268_435_460],
  maxTopicLevels: [128, 1, 65_536],
  maxRetainedMessages: [100_000, 0, countless],
  maxRetainedBytes: [128 * MiB, 0, countless],
  receiveMaximum: [8_192, 1, 65_535],
  topicAliasMaximum: [1_024, 0, 65_535],
  maxSessionExpiry: [604_800, 0, 4_294_967_295],
  connectTimeout: [10_000, 1, longestTimer],
  slowClientTimeout: [30_000, 1, longestTimer],
};

const hooks: readonly (keyof BrokerHooks)[] = [
  "authenticate",
  "authorizePublish",
  "authorizeSubscribe",
  "onMessages",
];

/** @throws {LabError} `INVALID_OPTION` */
export function settingsOf(options: MqttBrokerOptions): Settings {
  if (typeof options !== "object" || options === null) {
    throw invalidOption("options", options, "an object, or left out");
  }
  for (const name in options) {
    if (!Object.hasOwn(limits, name) && !(hooks as readonly string[]).includes(name)) {
      const known = [...Object.keys(limits), ...hooks].join(", ");
      throw invalidOption("options", name, `made of ${known}`);
    }
  }
  for (const name of hooks) {
    const hook: unknown = options[name];
    if (hook !== undefined && typeof hook !== "function") {
      throw invalidOption(name, hook, "a function");
    }
  }
  const chosen = Object.entries(limits).map(([name, [preset, least, most]]) => {
    const got = options[name as keyof BrokerLimits] ?? preset;
    if (!(Number.isInteger(got) && got >= least && got <= most)) {
      const range = most === countless ? `at least ${least}` : `from ${least} to ${most}`;
      throw invalidOption(name, got, `an integer, ${range}`);
    }
    return [name, got] as const;
  });
  return { ...options, ...(Object.fromEntries(chosen) as unknown as BrokerLimits) };
}
