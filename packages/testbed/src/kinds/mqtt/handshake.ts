import { randomUUID } from "node:crypto";
import { LabError } from "@lab/core";
import { connect, type MqttClient } from "mqtt";
import type { Identity, Trust } from "../../kind.ts";
import type { Target } from "../../target.ts";

const connectLimit = 5_000;
const versionLimit = 500;
/** Where brokers keep a retained message that says who they are. */
export const versionTopic = "$SYS/broker/version";

/** Return codes of CONNACK: bad user name or password, not authorised. */
const refusals: readonly unknown[] = [4, 5];

/** CONNECT, CONNACK, and the retained message in which most brokers say who they are. */
export async function mqttHandshake(
  { host, port, tls, credentials }: Target,
  { ca, signal }: Trust,
): Promise<Identity> {
  signal?.throwIfAborted();
  const client = connect({
    protocol: tls ? "mqtts" : "mqtt",
    host,
    port,
    ...credentials,
    clientId: `testbed-${randomUUID().slice(0, 8)}`, // 23 characters at most, the limit of 3.1
    protocolVersion: 4, // what every broker speaks, embedded ones too
    connectTimeout: connectLimit,
    reconnectPeriod: 0,
    ...(ca !== undefined && { ca }),
  });
  try {
    await connected(client, signal);
    return identify(await retainedVersion(client));
  } catch (error) {
    if (!refusals.includes((error as { code?: unknown }).code)) throw error;
    throw new LabError("ACCESS_REFUSED", (error as Error).message, { cause: error });
  } finally {
    await client.endAsync(true);
  }
}

async function connected(client: MqttClient, signal: AbortSignal | undefined): Promise<void> {
  let abort = () => {};
  try {
    await new Promise<void>((resolve, reject) => {
      client.on("error", reject); // stays, as an `error` that nobody listens to ends the process
      client.once("close", () => reject(new Error("The connection was closed in the handshake")));
      client.once("connect", () => resolve());
      abort = () => reject(signal?.reason);
      signal?.addEventListener("abort", abort);
    });
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

function retainedVersion(client: MqttClient): Promise<string> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(""), versionLimit);
    const found = (text: string) => {
      clearTimeout(timer);
      resolve(text);
    };
    client.once("message", (_topic, payload) => found(payload.toString()));
    client.once("close", () => found(""));
    client.subscribe(versionTopic, (error) => {
      if (error) found("");
    });
  });
}

/** Reads "mosquitto version 2.0.11", and what the embedded broker says of itself here. */
function identify(text: string): Identity {
  const match = /^(\S+) version (\S+?)( \(embedded\))?$/.exec(text);
  return {
    product: match?.[1] ?? "unknown",
    version: match?.[2] ?? "unknown",
    real: match?.[3] === undefined,
  };
}
