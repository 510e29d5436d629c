import { Socket } from "node:net";
import mqtt from "mqtt";
import type { PlainClient } from "./client.ts";

export const mqttClient: PlainClient = {
  client: "mqtt@5.16.0",
  async connect(url, topic) {
    const client = await mqtt.connectAsync(url, { protocolVersion: 5 });
    if (client.stream instanceof Socket) client.stream.setNoDelay(true);
    return {
      publish: async (bodies) => {
        await Promise.all(bodies.map((body) => client.publishAsync(topic, body, { qos: 1 })));
      },
      close: () => client.endAsync(),
    };
  },
};
