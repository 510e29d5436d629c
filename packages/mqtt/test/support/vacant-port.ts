import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** A TCP port of this machine at which nothing listened a moment ago. */
export async function vacantPort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
