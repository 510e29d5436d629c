import { type AddressInfo, createServer } from "node:net";

/** A TCP port on 127.0.0.1 that was free a moment ago: whoever uses it has to be ready to find it taken. */
export async function freePort(): Promise<number> {
  const port = await listen(0);
  if (port === undefined) throw new Error("No free TCP port on 127.0.0.1");
  return port;
}

export async function areFree(ports: readonly number[]): Promise<boolean> {
  const got = await Promise.all(ports.map(listen));
  return !got.includes(undefined);
}

function listen(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen(port, "127.0.0.1", () => {
      const { port: got } = server.address() as AddressInfo;
      server.close(() => resolve(got));
    });
  });
}
