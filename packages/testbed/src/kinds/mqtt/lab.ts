import { createRequire } from "node:module";
import { createMqttBroker } from "@lab/mqtt-broker";
import type { EmbeddedSetup } from "../../kind.ts";
import { versionTopic } from "./handshake.ts";

const { version } = createRequire(import.meta.url)("@lab/mqtt-broker/package.json");

/** Our own broker, within this process. What it keeps ends with it, so there is no restart with its data. */
export const lab: EmbeddedSetup = {
  product: "lab-mqtt-broker",
  version,
  real: false,
  start: async ({ credentials }) => {
    const broker = createMqttBroker(
      credentials && {
        authenticate: ({ username, password }) =>
          username === credentials.username && password?.toString() === credentials.password,
      },
    );
    const { port } = await broker.listen({ port: 0 });
    // It says who it is where real brokers do, so that nobody takes it for one of them.
    const payload = `lab-mqtt-broker version ${version} (embedded)`;
    await broker.inject([{ topic: versionTopic, payload, retain: true }]);
    return { port, stop: () => broker.close() };
  },
};
