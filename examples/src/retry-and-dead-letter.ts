// Two customers' orders in a broker in this process. One order fails for good: it is tried three times, becomes a dead
// letter, and only then does the customer's next order run. The other customer does not wait.
import { consume, json, readDeadLetter } from "@lab/core";
import { MemoryBroker } from "@lab/core/memory";
import { z } from "zod";

const Order = z.object({ customer: z.string(), item: z.string() });

const broker = new MemoryBroker();
broker.createQueue("orders");
broker.createQueue("orders.dead");
const publisher = broker.publisher();

const orders = [
  { customer: "ada", item: "lamp" },
  { customer: "ada", item: "unicorn" },
  { customer: "ada", item: "chair" },
  { customer: "bob", item: "desk" },
];
await publisher.publish(
  "orders",
  orders.map((order) => ({ key: order.customer, body: Buffer.from(JSON.stringify(order)) })),
);

const shipped: Record<string, string[]> = { ada: [], bob: [] };

const consumer = await consume({
  subscriber: broker.subscriber(),
  source: "orders",
  deserialize: json(Order),
  retry: { attempts: 3, base: 10 },
  deadLetter: { publisher, destination: "orders.dead" },
  handler: ({ customer, item }, { attempt }) => {
    if (item === "unicorn") {
      shipped[customer]?.push(`${item}? attempt ${attempt}`);
      throw new Error("out of stock");
    }
    shipped[customer]?.push(item);
  },
});

const letters = await consume({
  subscriber: broker.subscriber(),
  source: "orders.dead",
  handler: (_, { delivery }) => {
    const letter = readDeadLetter(delivery.message);
    console.log(
      `dead letter: ${letter?.reason} after ${letter?.attempts} attempts: ${letter?.error}`,
    );
  },
});

while (consumer.stats().handled < 3) await new Promise((resolve) => setTimeout(resolve, 5));
await consumer.drain();
await letters.drain();
for (const [customer, items] of Object.entries(shipped))
  console.log(`${customer}: ${items.join(", ")}`);
