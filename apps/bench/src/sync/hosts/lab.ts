import { createMqttBroker } from "@lab/mqtt-broker";
import type { Heard, Host } from "./host.ts";

/** @lab/mqtt-broker within the server's process. */
export async function labHost(heard: Heard): Promise<Host> {
  const broker = createMqttBroker({
    onMessages: (messages) => {
      for (const { topic, payload } of messages) heard(topic, payload);
    },
  });
  const { url } = await broker.listen({ port: 0 });
  return {
    url,
    publish: (changes) =>
      broker.inject(
        changes.map(({ topic, body: payload }) => ({ topic, payload, qos: 1, retain: true })),
      ),
  };
}
