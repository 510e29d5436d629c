import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import mqttPacket, { type Packet } from "mqtt-packet";
import { onTestFinished } from "vitest";

/** What goes over the connections between clients and a broker. */
export interface Wire {
  /** Connects through it. */
  readonly url: string;
  /** Packets of the clients, all connections one after the other. */
  readonly sent: Packet[];
  /** The same, as they were written: the packets of one piece of TCP together. */
  readonly writes: Packet[][];
  /** Packets of the broker. */
  readonly received: Packet[];
  /** Connections so far. */
  connections: number;
  /** Cuts all connections and hands nothing on from then, as if the cable were pulled. */
  cut(): void;
}

/** Listens in on an MQTT broker. */
export async function tapWire(url: string): Promise<Wire> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    wire.connections++;
    const broker = connect({ host: hostname, port: Number(port), noDelay: true });
    // The broker's packets are to be read as the version of the client's CONNECT says.
    let protocolVersion: number | undefined;
    listen(client, broker, sockets, {}, (packets) => {
      const [first] = packets;
      if (first?.cmd === "connect" && protocolVersion === undefined) {
        protocolVersion = first.protocolVersion ?? 4;
        listen(broker, client, sockets, { protocolVersion }, (all) => wire.received.push(...all));
      }
      wire.sent.push(...packets);
      wire.writes.push(packets);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const wire: Wire = {
    url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent: [],
    writes: [],
    received: [],
    connections: 0,
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
  onTestFinished(() => {
    wire.cut();
    server.close();
  });
  return wire;
}

function listen(
  from: Socket,
  to: Socket,
  sockets: Set<Socket>,
  options: object,
  onPackets: (packets: Packet[]) => void,
): void {
  sockets.add(from);
  const parser = mqttPacket.parser(options);
  let packets: Packet[] = [];
  parser.on("packet", (packet: Packet) => packets.push(packet));
  parser.on("error", () => {}); // The other side will complain.
  from.on("data", (data: Buffer) => {
    packets = [];
    parser.parse(data);
    onPackets(packets);
    to.write(data);
  });
  from.on("error", () => {});
  from.on("close", () => {
    sockets.delete(from);
    to.destroy();
  });
  from.on("end", () => to.end());
}

/** Packet ids of the acknowledgements, in order. */
export function pubacks(packets: readonly Packet[]): number[] {
  return packets.flatMap((packet) =>
    packet.cmd === "puback" && packet.messageId !== undefined ? [packet.messageId] : [],
  );
}
