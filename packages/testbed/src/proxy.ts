import { type AddressInfo, createServer, type Socket } from "node:net";
import { TLSSocket } from "node:tls";

/** A TCP proxy on 127.0.0.1 whose connections can be cut and held. */
export interface TcpProxy {
  readonly port: number;
  /** Resets every connection, on both sides; resolves when all are closed. New ones are accepted. */
  cut(): Promise<void>;
  /** Holds every connection open, and accepts new ones, but forwards nothing. */
  pause(): void;
  /** Forwards again, what was held first. */
  resume(): void;
  /** `cut`, and no new ones. */
  close(): Promise<void>;
}

/**
 * Opens a proxy on a free port.
 * @param connect opens a connection to the target; called once for each connection that is accepted. To be opened with
 * `allowHalfOpen`.
 */
export async function openProxy(connect: () => Socket): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const unjoined = new Set<Socket>();
  let paused = false;

  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.once("close", () => {
      sockets.delete(socket);
      unjoined.delete(socket);
    });
    if (paused) socket.pause();
  };

  const join = (client: Socket): void => {
    const target = connect();
    track(target);
    forward(client, target, () => paused);
    forward(target, client, () => paused);
    client.resume();
  };

  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    track(client);
    client.on("error", () => undefined); // told to the other side in `forward`; before the join there is none
    if (paused) unjoined.add(client);
    else join(client);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });

  const cut = async (): Promise<void> => {
    const gone = [...sockets].map(
      (socket) => new Promise<void>((resolve) => socket.once("close", () => resolve())),
    );
    for (const socket of sockets) reset(socket);
    await Promise.all(gone);
  };

  return {
    port: (server.address() as AddressInfo).port,
    cut,
    pause: () => {
      paused = true;
      for (const socket of sockets) socket.pause();
    },
    resume: () => {
      paused = false;
      for (const socket of sockets) if (!unjoined.has(socket)) socket.resume();
      for (const client of unjoined) join(client);
      unjoined.clear();
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await cut();
      await closed;
    },
  };
}

/** Moves what `from` receives to `to`, its end and its failure included. */
function forward(from: Socket, to: Socket, paused: () => boolean): void {
  from.on("data", (chunk) => {
    if (!to.write(chunk)) from.pause();
  });
  to.on("drain", () => {
    if (!paused()) from.resume();
  });
  from.on("end", () => to.end());
  from.on("error", () => reset(to));
  from.on("close", () => to.destroySoon());
}

/**
 * Only a plain connection that is established and has not sent its FIN can be reset: with the FIN under way, node's
 * `resetAndDestroy` fails and the socket never closes.
 */
function reset(socket: Socket): void {
  const possible = !socket.connecting && !socket.writableEnded && !(socket instanceof TLSSocket);
  if (possible && !socket.destroyed) socket.resetAndDestroy();
  else socket.destroy();
}
