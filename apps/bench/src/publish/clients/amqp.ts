import { connect } from "amqplib";
import type { PlainClient } from "./client.ts";

/** As ours. What reaches no queue is not taken for published: it is missing afterwards. */
const options = { persistent: true, mandatory: true };

export const amqpClient: PlainClient = {
  client: "amqplib@2.3.1",
  async connect(url, queue) {
    const connection = await connect(url, { noDelay: true });
    const channel = await connection.createConfirmChannel();
    return {
      publish: async (bodies) => {
        for (const body of bodies) channel.publish("", queue, body, options);
        await channel.waitForConfirms();
      },
      close: async () => {
        await channel.close();
        await connection.close();
      },
    };
  },
};
