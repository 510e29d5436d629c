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
}

/** Listens in on what clients send to a broker. */
export async function tapWire(url: string): Promise<Wire> {
  const { hostname, port, username, password } = new URL(url);
  const sockets = new Set<Socket>();
  const sent: Method[] = [];
  const server = createServer({ noDelay: true }, (client) => {
    const broker = connect({ host: hostname, port: Number(port), noDelay: true });
    const parse = parser((method) => sent.push(method));
    client.on("data", parse);
    for (const [from, to] of [
      [client, broker],
      [broker, client],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on("error", () => to.destroy());
    }
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
