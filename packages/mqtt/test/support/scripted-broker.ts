import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import mqttPacket, {
  type IConnackPacket,
  type IConnectPacket,
  type IPublishPacket,
  type Packet,
} from "mqtt-packet";
import { onTestFinished } from "vitest";

export type Answer = Partial<Pick<IConnackPacket, "sessionPresent" | "reasonCode" | "properties">>;

/** No broker: it says what a test has it say, for what a real one cannot be made to do. */
export interface ScriptedBroker {
  readonly url: string;
  /** All connections so far. */
  readonly connections: ScriptedConnection[];
}

export interface ScriptedConnection {
  readonly connect: IConnectPacket;
  readonly received: Packet[];
  send(...packets: Packet[]): void;
  /** Sends bytes as they are. */
  sendBytes(...bytes: number[]): void;
  /** Closes it without a word. */
  cut(): void;
}

/**
 * Accepts connections as `answer` says, grants subscriptions as asked, and answers pings.
 * @param onConnected may send what follows CONNACK
 */
export async function scriptedBroker(
  answer: (index: number) => Answer,
  onConnected: (connection: ScriptedConnection, index: number) => void = () => {},
  granted: (qos: number) => number = (qos) => qos,
  onPublish: (connection: ScriptedConnection, packet: IPublishPacket) => void = () => {},
): Promise<ScriptedBroker> {
  const connections: ScriptedConnection[] = [];
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    const parser = mqttPacket.parser({});
    const received: Packet[] = [];
    let options = {};
    let connection: ScriptedConnection | undefined;
    const send = (...packets: Packet[]): void => {
      socket.write(Buffer.concat(packets.map((packet) => mqttPacket.generate(packet, options))));
    };
    const sendBytes = (...bytes: number[]): void => {
      socket.write(Buffer.from(bytes));
    };
    parser.on("packet", (packet: Packet) => {
      received.push(packet);
      if (packet.cmd === "connect") {
        const version = packet.protocolVersion ?? 4;
        options = { protocolVersion: version };
        const index = connections.length;
        connection = {
          connect: packet,
          received,
          send,
          sendBytes,
          cut: () => socket.destroy(),
        };
        connections.push(connection);
        const said = { sessionPresent: false, reasonCode: 0, ...answer(index) };
        const code = version === 5 ? {} : { returnCode: said.reasonCode };
        send({ cmd: "connack", ...said, ...code });
        if (said.reasonCode === 0) onConnected(connection, index);
        else socket.end();
      } else if (packet.cmd === "subscribe") {
        const codes = packet.subscriptions.map(({ qos }) => granted(qos));
        send({ cmd: "suback", messageId: packet.messageId as number, granted: codes });
      } else if (packet.cmd === "publish" && connection !== undefined) {
        onPublish(connection, packet);
      } else if (packet.cmd === "pingreq") {
        send({ cmd: "pingresp" });
      } else if (packet.cmd === "disconnect") {
        socket.end();
      }
    });
    socket.on("data", (data) => parser.parse(data));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`, connections };
}

/** A PUBLISH with QoS 1 to the topic `t`. */
export function message(messageId: number, text: string, dup = false): IPublishPacket {
  return { cmd: "publish", topic: "t", payload: text, qos: 1, messageId, dup, retain: false };
}
