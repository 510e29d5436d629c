import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A method frame of a client. */
export interface Method {
  /** Class and method id: `60.80` is basic.ack. */
  readonly name: string;
  readonly payload: Buffer;
}

export interface Ack {
  readonly tag: number;
  readonly multiple: boolean;
}

/** What goes over the connections of the clients of a broker. */
export interface Wire {
  /** Connects through it. */
  readonly url: string;
  readonly sent: readonly Method[];
  readonly acks: readonly Ack[];
  /** How often a method was sent. */
  count(name: string): number;
  /** Resets the clients' connections. The broker does not notice before `release`. */
  cutClients(): void;
  release(): void;
  /** From now on the broker does not get the clients' calls of this method, before `arrive`. */
  delay(name: string): void;
  /** How many are on their way. */
  readonly delayed: number;
  arrive(): void;
}

/** Listens in on what clients send to a broker. */
export async function tapWire(url: string): Promise<Wire> {
  const { hostname, port, username, password } = new URL(url);
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();
  const unnoticed = new Set<Socket>();
  const sent: Method[] = [];
  let slow: string | undefined;
  let delayed: (() => void)[] = [];
  const server = createServer({ noDelay: true }, (client) => {
    const broker = connect({ host: hostname, port: Number(port), noDelay: true });
    const parse = parser((method) => sent.push(method));
    client.on("data", (chunk) => {
      const before = sent.length;
      parse(chunk);
      const forward = (): unknown => broker.write(chunk);
      if (sent.slice(before).some(({ name }) => name === slow)) delayed.push(forward);
      else forward();
    });
    broker.on("data", (chunk) => client.write(chunk));
    const endBroker = (): void => {
      if (clients.delete(client)) broker.destroy();
      else unnoticed.add(broker);
    };
    client.on("error", endBroker);
    client.on("close", endBroker);
    broker.on("error", () => client.destroy());
    broker.on("close", () => client.destroy());
    clients.add(client);
    sockets.add(client).add(broker);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const user = username === "" ? "" : `${username}:${password}@`;
  return {
    url: `amqp://${user}127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    count: (wanted) => sent.filter(({ name }) => name === wanted).length,
    cutClients: () => {
      for (const client of clients) {
        clients.delete(client);
        client.resetAndDestroy();
      }
    },
    release: () => {
      for (const broker of unnoticed) broker.destroy();
    },
    delay: (name) => {
      slow = name;
    },
    get delayed() {
      return delayed.length;
    },
    arrive: () => {
      slow = undefined;
      for (const forward of delayed) forward();
      delayed = [];
    },
    get acks() {
      return sent
        .filter(({ name }) => name === "60.80")
        .map(({ payload }) => ({
          tag: Number(payload.readBigUInt64BE(4)),
          multiple: (payload[12] ?? 0) === 1,
        }));
    },
  };
}

const headerLength = 7;

/** Takes frames out of the bytes of one connection, behind the eight bytes that it starts with. */
function parser(found: (method: Method) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  let greeted = false;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    if (!greeted && rest.length >= 8) {
      rest = rest.subarray(8);
      greeted = true;
    }
    while (greeted && rest.length >= headerLength) {
      const end = headerLength + rest.readUInt32BE(3) + 1;
      if (rest.length < end) return;
      const payload = rest.subarray(headerLength, end - 1);
      if (rest[0] === 1) {
        found({ name: `${payload.readUInt16BE(0)}.${payload.readUInt16BE(2)}`, payload });
      }
      rest = rest.subarray(end);
    }
  };
}
