import { randomUUID } from "node:crypto";
import { connectAsync, type MqttClient } from "mqtt";
import type { Identity, Trust } from "../../kind.ts";
import type { Target } from "../../target.ts";

const connectLimit = 5_000;
const versionLimit = 500;
/** Where brokers keep a retained message that says who they are. */
export const versionTopic = "$SYS/broker/version";

/** CONNECT, CONNACK, and the retained message in which most brokers say who they are. */
export async function mqttHandshake(
  { host, port, tls, credentials }: Target,
  { ca, signal }: Trust,
): Promise<Identity> {
  signal?.throwIfAborted();
  const client = await connectAsync({
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
    signal?.throwIfAborted();
    return identify(await retainedVersion(client));
  } finally {
    client.removeAllListeners("message");
    await client.endAsync(true);
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
