import { mqttPublisher } from "@lab/mqtt";
import mqtt from "mqtt";
import { publishAll } from "../publish-all.ts";
import type { Heard, Host } from "./host.ts";

/** mosquitto is a process of its own: the server is one more client of it. */
export async function mosquittoHost(url: string, heard: Heard): Promise<Host> {
  const listener = await mqtt.connectAsync(url, { protocolVersion: 5 });
  listener.on("message", (topic, payload) => heard(topic, payload));
  await listener.subscribeAsync("sync/client/+", { qos: 1 });
  const publisher = mqttPublisher({
    retain: true,
    window: 4_000,
    connect: (defaults) => mqtt.connect(url, { ...defaults }),
  });
  return { url, publish: (changes) => publishAll(publisher, changes) };
}
