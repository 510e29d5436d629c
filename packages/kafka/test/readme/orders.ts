// The program of the README, with what it leaves out. Ends when what it has published was handled.
import { consume, json } from "@lab/core";
import { kafkaPublisher, kafkaSubscriber } from "@lab/kafka";
import { Kafka, logLevel } from "kafkajs";
import { z } from "zod";

const Order = z.object({ item: z.string() });
const brokers = [process.env.KAFKA_OF_README ?? "localhost:9092"];

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

const kafka = new Kafka({ clientId: "orders", brokers, logLevel: logLevel.ERROR });

await using consumer = await consume({
  subscriber: kafkaSubscriber({ kafka, groupId: "shipping" }),
  source: "orders", // records with one key stay in order, 32 keys are handled at once
  deserialize: json(Order),
  handler: async (order, { key, signal }) => {
    await ship(order, { key, signal });
  },
});

const publisher = kafkaPublisher({ kafka });
await publisher.publish("orders", [
  { key: "42", body: Buffer.from('{ "item": "chair" }') },
  { key: "42", body: Buffer.from('{ "item": "table" }') },
]);

await done;
await publisher.close();
// `consumer` drains.
void consumer;
