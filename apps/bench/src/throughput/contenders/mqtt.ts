import { mqttSubscriber } from "@lab/mqtt";
import mqtt, { type IClientOptions, type MqttClient } from "mqtt";
import { type Contender, ours, type Work } from "../contender.ts";

/** The embedded broker speaks MQTT 3.1.1 only. */
function optionsFor({ name, real, window }: Work) {
  const clientId = `${name}-0`; // Of member 0 of the rig's source, whose session holds the backlog.
  const properties = { sessionExpiryInterval: 3_600, receiveMaximum: window };
  return real
    ? ({ clientId, clean: false, protocolVersion: 5, properties } satisfies IClientOptions)
    : ({ clientId, clean: false, protocolVersion: 4 } satisfies IClientOptions);
}

/** `listen` is called before the first message arrives. */
function plain(variant: string, listen: (client: MqttClient, work: Work) => void): Contender {
  return {
    variant,
    client: "mqtt@5.16.0",
    async consume(work) {
      const client = mqtt.connect(work.url, optionsFor(work));
      listen(client, work);
      const failed = new Promise<never>((_, reject) => client.on("error", reject));
      await Promise.race([work.finished, failed]);
      await client.endAsync(); // Behind the acknowledgements.
    },
  };
}

export const mqttContenders: readonly Contender[] = [
  // The one way that mqtt.js has: it takes no further packet until it is called back, and then acknowledges.
  plain("acknowledged after the handler", (client, { handler }) => {
    client.handleMessage = (_packet, done) => {
      handler().then(() => done(), done);
    };
  }),
  // Acknowledged before it is handled.
  plain("auto-ack", (client, { handler }) => {
    client.on("message", () => void handler());
  }),
  ours("consume", (work) => {
    const { clientId, protocolVersion } = optionsFor(work);
    return mqttSubscriber({
      protocolVersion,
      connect: (defaults) => mqtt.connect(work.url, { ...defaults, clientId }),
    });
  }),
];
