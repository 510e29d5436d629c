import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import mqttPacket, { type IConnectPacket, type IPublishPacket, type Packet } from "mqtt-packet";
import { onTestFinished } from "vitest";

/** Longest wait for a packet, in ms. */
const limit = 10_000;

type Of<Command extends Packet["cmd"]> = Extract<Packet, { cmd: Command }>;

/** A client that does nothing by itself: every packet is sent, and every acknowledgement, by the test. */
export class RawClient {
  readonly socket: Socket;
  readonly version: 4 | 5;
  /** What has come and nobody has taken, in order. */
  readonly inbox: Packet[] = [];
  closed = false;
  #waiting: (() => void)[] = [];

  constructor(port: number, version: 4 | 5) {
    this.version = version;
    this.socket = connectTcp({ port, host: "127.0.0.1", noDelay: true });
    const parser = mqttPacket.parser({ protocolVersion: version });
    parser.on("packet", (packet) => {
      this.inbox.push(packet);
      this.#wake();
    });
    this.socket.on("data", (chunk: Buffer) => parser.parse(chunk));
    this.socket.on("error", () => {});
    this.socket.on("close", () => {
      this.closed = true;
      this.#wake();
    });
    onTestFinished(() => {
      this.socket.destroy();
    });
  }

  send(...packets: Packet[]): void {
    const options = { protocolVersion: this.version };
    this.write(Buffer.concat(packets.map((packet) => mqttPacket.generate(packet, options))));
  }

  write(bytes: Uint8Array): void {
    this.socket.write(bytes);
  }

  /** The next packet, which has to be a `cmd`. */
  async next<Command extends Packet["cmd"]>(cmd: Command): Promise<Of<Command>> {
    await this.until(() => this.inbox.length > 0, cmd);
    const packet = this.inbox.shift() as Packet;
    if (packet.cmd !== cmd) throw new Error(`Expected ${cmd}, got ${JSON.stringify(packet)}`);
    return packet as Of<Command>;
  }

  /** The next `count` PUBLISH packets. */
  async publishes(count: number): Promise<IPublishPacket[]> {
    const found: IPublishPacket[] = [];
    while (found.length < count) found.push(await this.next("publish"));
    return found;
  }

  /**
   * Shows that nothing has come but what was taken: the answer to a ping comes first. Twice, as what a read makes the
   * broker send follows the answer to a ping in the same read.
   */
  async nothing(): Promise<void> {
    for (let i = 0; i < 2; i++) {
      this.send({ cmd: "pingreq" });
      await this.next("pingresp");
    }
  }

  /** Resolves when the broker has closed the connection. */
  async gone(): Promise<void> {
    await this.until(() => this.closed, "the end of the connection");
  }

  /** The reason with which the broker disconnects (MQTT 5). */
  async disconnected(): Promise<number> {
    const { reasonCode = 0 } = await this.next("disconnect");
    await this.gone();
    return reasonCode;
  }

  /** Cuts the connection without a word. */
  async cut(): Promise<void> {
    if (this.closed) return;
    this.socket.destroy();
    if (!this.socket.closed) await once(this.socket, "close");
  }

  async until(condition: () => boolean, what: string): Promise<void> {
    const deadline = Date.now() + limit;
    while (!condition()) {
      if (this.closed && what !== "the end of the connection" && this.inbox.length === 0) {
        throw new Error(`The broker closed the connection; expected ${what}`);
      }
      const left = deadline - Date.now();
      if (left <= 0) throw new Error(`No ${what} within ${limit} ms`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

export interface ConnectOptions extends Partial<Omit<IConnectPacket, "cmd">> {
  readonly version?: 4 | 5;
}

let clients = 0;

/** Connects, without waiting for the answer. */
export function open(port: number, options: ConnectOptions = {}): RawClient {
  const { version = 5, ...packet } = options;
  const client = new RawClient(port, version);
  const clientId = `raw-${++clients}`;
  client.send({ cmd: "connect", protocolVersion: version, clean: true, clientId, ...packet });
  return client;
}

/** Connects and takes CONNACK, which has to accept. */
export async function connect(port: number, options: ConnectOptions = {}): Promise<RawClient> {
  const client = open(port, options);
  const { reasonCode, returnCode } = await client.next("connack");
  const code = reasonCode ?? returnCode;
  if (code !== 0) throw new Error(`CONNACK says ${code}`);
  return client;
}

/** Subscribes and takes SUBACK. */
export async function subscribe(
  client: RawClient,
  topic: string,
  options: { qos?: 0 | 1 | 2; nl?: boolean; rap?: boolean; rh?: number; identifier?: number } = {},
): Promise<number[]> {
  const { identifier, qos = 0, ...rest } = options;
  client.send({
    cmd: "subscribe",
    messageId: 1,
    subscriptions: [{ topic, qos, ...rest }],
    ...(identifier !== undefined && { properties: { subscriptionIdentifier: identifier } }),
  });
  const { granted } = await client.next("suback");
  return granted as number[];
}

export interface PublishOptions {
  readonly qos?: 0 | 1 | 2;
  readonly retain?: boolean;
  readonly dup?: boolean;
  readonly messageId?: number;
  readonly properties?: IPublishPacket["properties"];
}

export function publishPacket(
  topic: string,
  payload: string,
  options: PublishOptions = {},
): IPublishPacket {
  const { qos = 0, retain = false, dup = false, messageId = 1, properties } = options;
  return {
    cmd: "publish",
    topic,
    payload,
    qos,
    retain,
    dup,
    ...(qos > 0 && { messageId }),
    ...(properties !== undefined && { properties }),
  };
}

/** Publishes and completes the handshake of the QoS. Returns the reason code of the first answer. */
export async function publish(
  client: RawClient,
  topic: string,
  payload: string,
  options: PublishOptions = {},
): Promise<number> {
  const { qos = 0, messageId = 1 } = options;
  client.send(publishPacket(topic, payload, options));
  if (qos === 0) return 0;
  if (qos === 1) return (await client.next("puback")).reasonCode ?? 0;
  const { reasonCode = 0 } = await client.next("pubrec");
  if (reasonCode < 0x80) {
    client.send({ cmd: "pubrel", messageId });
    await client.next("pubcomp");
  }
  return reasonCode;
}
