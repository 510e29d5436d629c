import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { Aedes } from "aedes";
import type { Change } from "../change.ts";
import type { Heard, Host } from "./host.ts";

/** aedes within the server's process. It has no call for many messages: a batch is as many calls in one turn. */
export async function aedesHost(heard: Heard): Promise<Host> {
  const broker = await Aedes.createBroker();
  broker.on("publish", ({ topic, payload }, client) => {
    if (client !== null) heard(topic, payload as Buffer);
  });
  const server = createServer({ noDelay: true }, broker.handle);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const publish = ({ topic, body: payload }: Change): Promise<void> =>
    new Promise((resolve, reject) => {
      broker.publish(
        { cmd: "publish", topic, payload, qos: 1, retain: true, dup: false },
        (error) => (error ? reject(error) : resolve()),
      );
    });
  return {
    url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    publish: async (changes) => {
      await Promise.all(changes.map(publish));
    },
  };
}
