import { amqpSubscriber } from "@lab/amqp";
import { type Channel, type ConsumeMessage, connect } from "amqplib";
import { type Contender, ours, type Work } from "../contender.ts";

type Receive = (message: ConsumeMessage) => void;

function plain(variant: string, receiver: (channel: Channel, work: Work) => Receive): Contender {
  return {
    variant,
    client: "amqplib@2.3.1",
    async consume(work) {
      const connection = await connect(work.url, { noDelay: true });
      const failed = new Promise<never>((_, reject) => connection.on("error", reject));
      const channel = await connection.createChannel();
      channel.on("error", () => {}); // What is not acknowledged any more is found on the broker.
      await channel.prefetch(work.window);
      const receive = receiver(channel, work);
      await channel.consume(work.source, (message) => message !== null && receive(message));
      await Promise.race([work.finished, failed]);
      await new Promise(setImmediate); // For the acknowledgement of the last.
      await channel.close(); // First, or acknowledgements that are not written yet are lost.
      await connection.close();
    },
  };
}

export const amqpContenders: readonly Contender[] = [
  // One after the other; acknowledged together, a quarter of the window at once, or less when no more is in hand.
  plain("multiple ack", (channel, { window, handler }) => {
    const inHand: ConsumeMessage[] = [];
    let running = false;
    const run = async (): Promise<void> => {
      running = true;
      let unacknowledged = 0;
      for (let next = inHand.shift(); next !== undefined; next = inHand.shift()) {
        await handler(next.content);
        if (++unacknowledged < window / 4 && inHand.length > 0) continue;
        channel.ack(next, true);
        unacknowledged = 0;
      }
      running = false;
    };
    return (message) => {
      inHand.push(message);
      if (!running) void run();
    };
  }),
  // As most programs have it.
  plain("ack each", (channel, { handler }) => async (message) => {
    await handler(message.content);
    channel.ack(message);
  }),
  ...(["single", "multiple"] as const).map((ack) =>
    ours(ack === "single" ? "consume" : "consume, multiple ack", ({ url }) =>
      amqpSubscriber({ ack, connect: (defaults) => connect(url, { ...defaults }) }),
    ),
  ),
];
