import { once } from "node:events";
import { createServer as createHttp, type Server as HttpServer } from "node:http";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createServer as createTls } from "node:tls";
import { LabError } from "@lab/core";
import { invalidOption, toError } from "@lab/core/adapter";
import { createWebSocketStream, type WebSocket, WebSocketServer } from "ws";
import type { Listener, ListenOptions, TlsListenOptions } from "./types.ts";

type Attach = (stream: Duplex, remoteAddress: string | undefined) => void;

const defaultPort = 1883;
const subprotocol = "mqtt";
const unsupportedData = 1003;
const protocolError = 1002;
/** After so long without traffic the system asks whether the other side is still there, in ms. */
const keepAliveAfter = 60_000;
/** A WebSocket message may hold several packets. */
const packetsInMessage = 2;

export interface OpenListener extends Listener {
  /** Ends every connection, those too that have not become one of ours yet. */
  destroy(): void;
}

/** @throws {LabError} `INVALID_OPTION`, `BROKER_START_FAILED` */
export async function listen(
  options: ListenOptions,
  maxPacketSize: number,
  attach: Attach,
): Promise<OpenListener> {
  const { port = defaultPort, host = "127.0.0.1", tls, webSocket = false } = options;
  if (!(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
    throw invalidOption("port", port, "an integer from 0 to 65535");
  }
  if (typeof host !== "string" || host === "") throw invalidOption("host", host, "a host name");
  const server = serverOf(options, maxPacketSize, attach);
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (thrown) {
    const error = toError(thrown);
    throw new LabError(
      "BROKER_START_FAILED",
      `The broker cannot listen on ${host}:${port}: ${error.message}. Choose another port, or 0 for any that is free.`,
      { cause: error },
    );
  }
  server.on("error", () => {}); // Accepting one connection failed, for want of file handles: others follow.
  const bound = (server.address() as AddressInfo).port;
  const scheme = webSocket ? (tls ? "wss" : "ws") : tls ? "mqtts" : "mqtt";
  return {
    host,
    port: bound,
    url: `${scheme}://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    close: async () => {
      // Its callback waits for the connections that are open.
      if (server.listening) server.close();
    },
    destroy: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function serverOf(
  { webSocket, tls }: ListenOptions,
  maxPacketSize: number,
  attach: Attach,
): Server {
  try {
    return webSocket ? overWebSocket(tls, maxPacketSize, attach) : plain(tls, attach);
  } catch (thrown) {
    const { message } = toError(thrown);
    throw new LabError(
      "INVALID_OPTION",
      `\`tls\` cannot be used: ${message}. Check certificate and key.`,
      {
        cause: thrown,
      },
    );
  }
}

function plain(tls: TlsListenOptions | undefined, attach: Attach): Server {
  const tcp = { noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveAfter };
  const accept = (socket: Socket): void => attach(socket, socket.remoteAddress);
  return tls === undefined
    ? createTcp(tcp, accept)
    : createTls({ ...tcp, ...secured(tls) }, accept);
}

function overWebSocket(
  tls: TlsListenOptions | undefined,
  maxPacketSize: number,
  attach: Attach,
): HttpServer {
  const upgradeOnly = {
    statusCode: 426,
    text: "This is an MQTT broker: connect with a WebSocket.",
  };
  const server = tls === undefined ? createHttp() : createHttps(secured(tls));
  server.on("request", (_request, response) => {
    response.writeHead(upgradeOnly.statusCode, { Upgrade: "websocket" }).end(upgradeOnly.text);
  });
  const sockets = new WebSocketServer({
    server,
    perMessageDeflate: false,
    maxPayload: packetsInMessage * maxPacketSize,
    handleProtocols: (offered) => (offered.has(subprotocol) ? subprotocol : false),
  });
  sockets.on("error", () => {}); // The server's own, told there.
  sockets.on("connection", (socket, request) => {
    socket.on("error", () => {}); // `close` follows.
    if (socket.protocol !== subprotocol) {
      socket.close(protocolError, `The subprotocol has to be ${subprotocol}.`);
      return;
    }
    attach(streamOf(socket), request.socket.remoteAddress);
  });
  return server;
}

function streamOf(socket: WebSocket): Duplex {
  socket.on("message", (_data, isBinary) => {
    if (!isBinary) socket.close(unsupportedData, "MQTT is binary.");
  });
  return createWebSocketStream(socket);
}

function secured(tls: TlsListenOptions): TlsListenOptions & { rejectUnauthorized: boolean } {
  return { ...tls, rejectUnauthorized: tls.requestCert === true };
}
