import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Controls {
  status(): Promise<string>;
  /** Afterwards the process ends. */
  stop(): Promise<void>;
}

/** Lets other processes of this user, who know the token, look after the broker. Returns the port on 127.0.0.1. */
export async function openControl(token: string, controls: Controls): Promise<number> {
  const server = createServer(async (request, response) => {
    if (request.headers.authorization !== token) {
      response.writeHead(403).end();
    } else if (request.url === "/status") {
      response.end(await controls.status());
    } else if (request.url === "/stop") {
      const problem = await controls.stop().then(() => undefined, String);
      response.end(problem ?? "ok", () => process.exit());
    } else {
      response.writeHead(404).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
