import { LabError } from "@lab/core";
import { invalidOption, toError } from "@lab/core/adapter";
import type { MqttClient } from "mqtt";
import type { MqttConnect, MqttDefaults } from "./options.ts";

const inUse = new WeakSet<MqttClient>();

/** Options that every client of ours gets. */
export function defaultsFor(protocolVersion: 4 | 5, connectTimeout: number): MqttDefaults {
  const { DEBUG } = process.env;
  return {
    protocolVersion,
    connectTimeout,
    // Without it mqtt.js gives up for good when a restarting broker answers "not yet".
    reconnectOnConnackError: true,
    // mqtt.js's tracing costs a tenth of the CPU even when nobody reads it.
    ...(DEBUG === undefined ? { log: () => {} } : {}),
  };
}

/**
 * Has the user make the client and checks what came of it.
 * @throws {LabError} `INVALID_OPTION`
 */
export function makeClient(
  connect: MqttConnect,
  defaults: MqttDefaults,
  check: (client: MqttClient) => void,
): MqttClient {
  let client: MqttClient;
  try {
    client = connect(defaults);
  } catch (thrown) {
    throw connectFailed(toError(thrown));
  }
  if (typeof client?.handleMessage !== "function") {
    throw invalidOption(
      "connect",
      client,
      "a function that returns the client of mqtt.connect",
      "connectAsync is too late: the broker has sent before the promise resolves.",
    );
  }
  requireOwn(client);
  client.on("error", () => {}); // Whatever happens after the end must not end the process.
  try {
    requireReconnect(client);
    requireOption(
      "protocolVersion",
      client.options.protocolVersion,
      defaults.protocolVersion,
      "Give `protocolVersion` to @lab/mqtt, not to mqtt.connect.",
    );
    check(client);
  } catch (error) {
    client.end(true);
    throw error;
  }
  inUse.add(client);
  return client;
}

/** @throws {LabError} `INVALID_OPTION` when the client was given another value than the one that was settled on. */
export function requireOption(name: string, got: unknown, expected: unknown, todo: string): void {
  if (got !== expected) throw invalidOption(name, got, JSON.stringify(expected), todo);
}

/** Made for us, just now, and connecting. If not, there is nothing for us to end. */
function requireOwn(client: MqttClient): void {
  const wrong = (got: string, todo: string): LabError =>
    invalidOption("connect", got, "a function that makes a new client", todo);
  if (client.options.manualConnect === true) {
    throw invalidOption("manualConnect", true, "left out", "The client has to connect by itself.");
  }
  if (inUse.has(client)) {
    throw wrong("the client of another subscription", "Call mqtt.connect in it.");
  }
  if (client.connected) {
    throw wrong(
      "a connected client",
      "Call mqtt.connect in it: an earlier client has acknowledged what nobody has seen.",
    );
  }
}

function requireReconnect(client: MqttClient): void {
  const { reconnectPeriod = 0 } = client.options;
  if (!(reconnectPeriod > 0)) {
    throw invalidOption(
      "reconnectPeriod",
      reconnectPeriod,
      "above 0",
      "It has to reconnect by itself.",
    );
  }
}

/** mqtt.js says what is wrong with its options by throwing. What Node throws for a bad URL shows the password. */
function connectFailed(error: Error): LabError {
  const todo = /clientId/.test(error.message)
    ? "A persistent session belongs to a client id: give one, the same after each restart, or set `persistent: false`."
    : "Correct the options given to mqtt.connect.";
  const cause = "input" in error ? undefined : error;
  return new LabError("INVALID_OPTION", `\`connect\` threw: ${error.message}. ${todo}`, { cause });
}
