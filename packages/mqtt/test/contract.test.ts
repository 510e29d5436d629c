import { contract } from "@lab/contract";
import { mqttPublisher, mqttSubscriber } from "@lab/mqtt";
import { startBroker } from "@lab/testbed";
import { mqttCapabilities, mqttRig } from "@lab/testbed/rigs";
import { describe } from "vitest";
import { withMosquitto } from "./support/mosquitto.ts";

const adapter = { mqttSubscriber, mqttPublisher };
const credentials = { username: "rig", password: "right" };

describe.skipIf(!withMosquitto)("mosquitto", () => {
  const variants = {
    "MQTT 5": {},
    "MQTT 3.1.1": { protocolVersion: 4 },
    "MQTT 5, shared, settled one by one": { shared: true, settleOrder: "settled" },
  } as const;
  for (const [name, variant] of Object.entries(variants)) {
    contract({
      name,
      capabilities: mqttCapabilities({ ...variant, credentials: true, restart: true }),
      rig: async () => {
        const broker = await startBroker("mqtt", { how: "native", credentials });
        return mqttRig({ ...variant, adapter, broker });
      },
    });
  }
});

contract({
  name: "aedes (embedded), MQTT 3.1.1",
  capabilities: mqttCapabilities({
    protocolVersion: 4,
    credentials: true,
    restart: "aedes keeps everything in this process.",
  }),
  rig: async () => {
    const broker = await startBroker("mqtt", { how: "embedded", credentials });
    return mqttRig({ protocolVersion: 4, adapter, broker });
  },
});
