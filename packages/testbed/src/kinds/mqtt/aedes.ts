import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { pathToFileURL } from "node:url";
import { Aedes, type AedesOptions } from "aedes";
import type { Credentials } from "../../broker.ts";
import type { EmbeddedSetup } from "../../kind.ts";
import { versionTopic } from "./handshake.ts";

const version = versionOf("aedes");

/** A JavaScript broker within this process. MQTT 3.1.1 only: no `$share`, no receive maximum, no DUP flag. */
export const aedes: EmbeddedSetup = {
  product: "aedes",
  version,
  real: false,
  start: async ({ credentials }) => {
    const broker = await Aedes.createBroker({
      ...(credentials && { authenticate: only(credentials) }),
    });
    await introduce(broker);
    const sockets = new Set<Socket>();
    const server = createServer({ noDelay: true }, (socket) => {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      broker.handle(socket);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return {
      port: (server.address() as AddressInfo).port,
      stop: async () => {
        const closed = once(server, "close");
        server.close();
        for (const socket of sockets) socket.destroy();
        await new Promise<void>((resolve) => broker.close(resolve));
        await closed;
      },
    };
  },
};

const badUserNameOrPassword = 4; // return code of CONNACK

function only({ username, password }: Credentials): NonNullable<AedesOptions["authenticate"]> {
  return (_client, name, secret, done) => {
    if (name === username && secret?.toString() === password) return done(null, true);
    const refusal = new Error(`Wrong username or password for "${name}"`);
    done(Object.assign(refusal, { returnCode: badUserNameOrPassword }), null);
  };
}

/** Says who it is where real brokers do, so that nobody takes it for one of them. */
function introduce(broker: Aedes): Promise<void> {
  return new Promise((resolve, reject) => {
    broker.publish(
      {
        cmd: "publish",
        topic: versionTopic,
        payload: `aedes version ${version} (embedded)`,
        qos: 0,
        retain: true,
        dup: false,
      },
      (error) => (error ? reject(error) : resolve()),
    );
  });
}

/** Its package does not export its `package.json`. */
function versionOf(name: string): string {
  const entry = pathToFileURL(createRequire(import.meta.url).resolve(name));
  return JSON.parse(readFileSync(new URL("package.json", entry), "utf8")).version;
}
