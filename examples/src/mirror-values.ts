import { createMqttBroker } from "@lab/mqtt-broker";
import mqtt from "mqtt";

await using broker = createMqttBroker({
  // All that one read of a socket has brought; the client's acknowledgements wait for it.
  onMessages: (messages, { clientId }) => {
    for (const { topic, payload } of messages) console.log(`${clientId} asks: ${topic} ${payload}`);
  },
});
const { url } = await broker.listen({ port: 0 });

await broker.inject(
  [20.5, 21, 19.5].map((celsius, room) => ({
    topic: `rooms/${room}/temperature`,
    payload: `${celsius}`,
    qos: 1,
    retain: true,
  })),
);

const panel = await mqtt.connectAsync(url, { clientId: "panel", protocolVersion: 5 });
const seen = new Promise<void>((resolve) => {
  panel.on("message", (topic, payload) => {
    console.log(`panel sees: ${topic} ${payload}`);
    if (payload.toString() === "22") resolve();
  });
});
await panel.subscribeAsync("rooms/+/temperature", { qos: 1 });
await panel.publishAsync("rooms/1/setpoint", "22", { qos: 1 });
await broker.inject([{ topic: "rooms/1/temperature", payload: "22", qos: 1, retain: true }]);
await seen;
await panel.endAsync();
