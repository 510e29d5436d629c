import { kafkaConfig } from "@lab/testbed/rigs";
import { Kafka } from "kafkajs";
import type { PlainClient } from "./client.ts";

export const kafkaClient: PlainClient = {
  client: "kafkajs@2.2.4",
  async connect(url, topic) {
    const kafka = new Kafka({ ...kafkaConfig({ url }), clientId: "plain" });
    const producer = kafka.producer({ idempotent: true, allowAutoTopicCreation: false });
    await producer.connect();
    return {
      publish: async (bodies) => {
        await producer.send({ topic, acks: -1, messages: bodies.map((value) => ({ value })) });
      },
      close: () => producer.disconnect(),
    };
  },
};
