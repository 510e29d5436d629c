import { randomUUID } from "node:crypto";
import mqtt, { type IClientOptions, type IPublishPacket, type MqttClient } from "mqtt";

/** A persistent session at the broker, handled with mqtt.js alone. */
export interface RawSession {
  readonly url: string;
  readonly clientId: string;
  readonly protocolVersion: 4 | 5;
}

/** Longest wait for an answer of the broker, in ms. */
const limit = 10_000;

/** Makes the broker keep what arrives for `source`. */
export async function createSession(session: RawSession, source: string): Promise<void> {
  const client = await connect(session, false, () => {});
  await client.subscribeAsync(source, { qos: 1 });
  await end(client);
}

/**
 * Takes out and acknowledges all that the broker holds for the session; says how many messages it was. It is empty when
 * nothing comes before a message that was sent last. Some brokers let that one overtake, and forget acknowledgements of a
 * client that leaves, so what comes again is not counted again.
 */
export async function drainSession(session: RawSession): Promise<number> {
  const ids = new Set<number>();
  while (await drainOnce(session, ids));
  return ids.size;
}

export async function deleteSession(session: RawSession): Promise<void> {
  await end(await connect(session, true, () => {}));
}

/** True when anything came. */
async function drainOnce(session: RawSession, ids: Set<number>): Promise<boolean> {
  const sentinel = `sentinel/${session.clientId}`;
  const round = randomUUID(); // That of an earlier round may come again.
  let found = false;
  let seen: () => void = () => {};
  const last = new Promise<void>((resolve) => {
    seen = resolve;
  });
  const client = await connect(session, false, ({ topic, payload, messageId }) => {
    if (topic === sentinel) {
      if (payload.toString() === round) seen();
    } else if (messageId !== undefined) {
      found = true;
      ids.add(messageId);
    }
  });
  try {
    await client.subscribeAsync(sentinel, { qos: 1 });
    await client.publishAsync(sentinel, round, { qos: 1 });
    await Promise.race([last, late()]);
  } finally {
    await end(client);
  }
  return found;
}

async function connect(
  { url, clientId, protocolVersion }: RawSession,
  clean: boolean,
  onMessage: (packet: IPublishPacket) => void,
): Promise<MqttClient> {
  const options: IClientOptions = {
    clientId,
    protocolVersion,
    clean,
    reconnectPeriod: 0,
    connectTimeout: limit,
  };
  if (protocolVersion === 5 && !clean) options.properties = { sessionExpiryInterval: 3_600 };
  const client = mqtt.connect(url, options);
  client.on("message", (_topic, _body, packet) => onMessage(packet)); // In this turn: mqtt.js acknowledges from the first message on.
  try {
    await new Promise<void>((resolve, reject) => {
      client.once("connect", () => resolve());
      client.once("error", reject);
      client.once("close", () => reject(new Error(`${url} closed the connection`)));
    });
  } catch (error) {
    client.end(true);
    throw error;
  }
  return client;
}

/** With DISCONNECT, behind the acknowledgements that mqtt.js has written. */
function end(client: MqttClient): Promise<void> {
  return client.endAsync(!client.connected);
}

async function late(): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, limit).unref());
  throw new Error(`the broker did not deliver the last message within ${limit} ms`);
}
