import { mqttSubscriber } from "@lab/mqtt";
import mqtt, { type IClientOptions, type MqttClient } from "mqtt";
import { type Contender, ours, type Work } from "../contender.ts";

/** Of member 0 of the rig's source, whose session holds the backlog. */
const clientIdOf = ({ name }: Work): string => `${name}-0`;

function optionsFor(work: Work): IClientOptions {
  const properties = { sessionExpiryInterval: 3_600, receiveMaximum: work.window };
  return { clientId: clientIdOf(work), clean: false, protocolVersion: 5, properties };
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
    client.handleMessage = ({ payload }, done) => {
      handler(payload as Buffer).then(() => done(), done);
    };
  }),
  // Acknowledged before it is handled.
  plain("auto-ack", (client, { handler }) => {
    client.on("message", (_topic, body) => void handler(body));
  }),
  ours("consume", (work) =>
    mqttSubscriber({
      connect: (defaults) => mqtt.connect(work.url, { ...defaults, clientId: clientIdOf(work) }),
    }),
  ),
];
