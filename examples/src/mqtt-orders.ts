// Consumes orders from an MQTT broker: MQTT_URL, or the one on this machine. Ends, drained, on Ctrl-C.
import { setTimeout as sleep } from "node:timers/promises";
import { consume, json } from "@lab/core";
import { mqttSubscriber } from "@lab/mqtt";
import mqtt from "mqtt";
import { z } from "zod";

const url = process.env.MQTT_URL ?? "mqtt://localhost:1883";
const Order = z.object({ step: z.string(), ms: z.number() });

const subscriber = mqttSubscriber({
  connect: (defaults) => mqtt.connect(url, { ...defaults, clientId: "orders-1" }),
});

await using consumer = await consume({
  subscriber,
  source: "orders/+", // orders of one topic stay in order, 32 topics are handled at once
  deserialize: json(Order),
  handler: async (order, { key, signal }) => {
    await sleep(order.ms, undefined, { signal });
    console.log(`${key}: ${order.step}`);
  },
});

console.log("ready");
process.once("SIGINT", () => consumer.drain());
await consumer.closed;
