import { setTimeout as sleep } from "node:timers/promises";
import { type Channel, connect } from "amqplib";

/** How long a consumer that has left may still be counted, in ms. */
const leaveLimit = 10_000;

export type QueueType = "classic" | "quorum";

/** Makes a durable queue, with amqplib alone. */
export async function createQueue(url: string, queue: string, type: QueueType): Promise<void> {
  await withChannel(url, (channel) =>
    channel.assertQueue(queue, { durable: true, arguments: { "x-queue-type": type } }),
  );
}

/** Takes out all that the queue holds; says how many messages it was. */
export function drainQueue(url: string, queue: string): Promise<number> {
  return withChannel(url, async (channel) => {
    await untilUnused(channel, queue);
    let count = 0;
    for (;;) {
      const { messageCount } = await channel.purgeQueue(queue);
      count += messageCount;
      if (messageCount === 0) return count;
    }
  });
}

export async function deleteQueue(url: string, queue: string): Promise<void> {
  await withChannel(url, (channel) => channel.deleteQueue(queue));
}

/** What a lost consumer had in hand is in the queue again from the moment that the broker does not count it any more. */
async function untilUnused(channel: Channel, queue: string): Promise<void> {
  const deadline = performance.now() + leaveLimit;
  for (;;) {
    const { consumerCount } = await channel.checkQueue(queue);
    if (consumerCount === 0) return;
    if (performance.now() > deadline) {
      throw new Error(`"${queue}" still has ${consumerCount} consumers after ${leaveLimit} ms`);
    }
    await sleep(10);
  }
}

async function withChannel<T>(url: string, work: (channel: Channel) => Promise<T>): Promise<T> {
  const connection = await connect(url, { noDelay: true, timeout: leaveLimit });
  connection.on("error", () => {}); // One that nobody listens to ends the process.
  try {
    const channel = await connection.createChannel();
    channel.on("error", () => {});
    const result = await work(channel);
    await channel.close();
    return result;
  } finally {
    await connection.close().catch(() => {});
  }
}
