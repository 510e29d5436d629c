// The first program of the README, with what it leaves out. Ends when what it has published was handled.
import { amqpPublisher, amqpSubscriber } from "@lab/amqp";
import { consume, json } from "@lab/core";
import * as amqplib from "amqplib";
import { z } from "zod";

const Order = z.object({ item: z.string() });
const url = process.env.AMQP_OF_README ?? "amqp://localhost";

export const shipped: string[] = [];
let allShipped = (): void => {};
const done = new Promise<void>((resolve) => {
  allShipped = resolve;
});

async function ship(
  order: z.infer<typeof Order>,
  { key, signal }: { key: string | undefined; signal: AbortSignal },
): Promise<void> {
  signal.throwIfAborted();
  if (shipped.push(`${key}: ${order.item}`) === 2) allShipped();
}

const subscriber = amqpSubscriber({
  connect: (defaults) => amqplib.connect(url, { ...defaults }),
});

await using consumer = await consume({
  subscriber,
  source: "orders", // messages with one `key` stay in order, 32 keys are handled at once
  deserialize: json(Order),
  handler: async (order, { key, signal }) => {
    await ship(order, { key, signal });
  },
});

const publisher = amqpPublisher({
  connect: (defaults) => amqplib.connect(url, { ...defaults }),
});
await publisher.publish("orders", [
  { key: "42", body: Buffer.from('{ "item": "chair" }') },
  { key: "42", body: Buffer.from('{ "item": "table" }') },
]);

await done;
await publisher.close();
// `consumer` drains.
void consumer;
